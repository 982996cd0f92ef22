from unifilter.reproduce.cost import cost
from unifilter.reproduce.part import Auto, Job, Published, Searched
from unifilter.train.entries import Entry


def job(how, graph="cora", protocol="quota:10"):
    return Job("", graph, protocol, how)


def test_more_settings_more_splits_and_a_larger_graph_cost_more():
    assert (
        cost(job(Searched("gcn", 100))) > cost(job(Searched("gcn", 10))) > cost(job(Published(Entry("gcn"))))
    )
    assert cost(job(Searched("gcn", 9), "pubmed")) > cost(job(Searched("gcn", 9)))
    assert cost(job(Auto())) > cost(job(Auto(), protocol="fixed:2"))


def test_a_search_that_has_ended_costs_no_more_than_its_winner():
    entry = Entry("gcn")
    assert cost(job(Searched("gcn", 100)), entry) == cost(job(Published(entry)), entry)


def test_a_limit_of_epochs_makes_every_job_cheaper():
    for how in (Auto(), Searched("gcn", 10), Published(Entry("gcn"))):
        assert cost(job(how), epochs=10) < cost(job(how))


def test_a_model_that_propagates_at_every_step_costs_more_than_one_that_did_before():
    assert cost(job(Published(Entry("gprgnn")))) > cost(job(Published(Entry("sgc"))))
