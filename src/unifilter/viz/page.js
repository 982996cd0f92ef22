(() => {
  "use strict";
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  // A page opened from a file may be refused a memory; then the choice lasts as long as the page is open.
  const memory = {
    get: () => { try { return localStorage.getItem("unifilter-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("unifilter-theme", value); } catch { /* see above */ } },
  };
  let chosen = memory.get();
  const theme = () => chosen || (dark.matches ? "dark" : "light");
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  // Figures come without colours of their own for text and grid: those are the page's.
  const painted = (layout) => {
    const change = {
      "font.color": colour("--ink"),
      "font.family": getComputedStyle(document.body).fontFamily,
      "hoverlabel.bgcolor": colour("--card"),
      "hoverlabel.bordercolor": colour("--line"),
      "hoverlabel.font.color": colour("--ink"),
    };
    for (const axis of Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
      change[`${axis}.gridcolor`] = colour("--line");
      change[`${axis}.zerolinecolor`] = colour("--soft");
      change[`${axis}.linecolor`] = colour("--line");
      change[`${axis}.fixedrange`] = true; // a finger on a phone scrolls the page, not the figure
    }
    return change;
  };

  // A matrix fades from the page's colour to its own, so that the numbers in its cells can be read.
  const faded = (data) => {
    const at = data.flatMap((trace, i) => (trace.type === "heatmap" ? [i] : []));
    const full = at.map((i) => data[i].colorscale[data[i].colorscale.length - 1][1]);
    return [{ colorscale: full.map((end) => [[0, colour("--card")], [1, end]]) }, at];
  };

  const plots = [...document.querySelectorAll("figure.chart")].map((figure) => {
    const { data, layout } = JSON.parse(figure.querySelector("script").textContent);
    return { div: figure.querySelector(".plot"), data, layout: { ...layout, autosize: true } };
  });
  const paint = () => {
    root.dataset.theme = theme();
    return Promise.all(plots.map(async ({ div, data, layout }) => {
      const [style, at] = faded(data);
      await Plotly.relayout(div, painted(layout));
      if (at.length) await Plotly.restyle(div, style, at);
    }));
  };

  root.dataset.theme = theme();
  const options = { responsive: true, displayModeBar: false };
  Promise.all(plots.map(({ div, data, layout }) => Plotly.newPlot(div, data, layout, options)))
    .then(paint)
    .then(() => { root.dataset.drawn = String(plots.length); });
  dark.addEventListener("change", paint);
  document.getElementById("theme").addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    memory.set(chosen);
    paint();
  });
})();
