/** Renders docs/ to the pages that are served below /docs. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Marked } from "marked"
import { drawDiagram } from "./diagrams.mjs"

const project = resolve(import.meta.dirname, "..", "..", "..")
const docs = join(project, "docs")

const HTML = "text/html; charset=utf-8"
const CSS = "text/css; charset=utf-8"
const assetTypes = { png: "image/png", sh: "text/plain; charset=utf-8" }

/** Colours and text are those of the API reference. */
const readStyle = () =>
  Buffer.concat([
    readFileSync(join(project, "src/reference/style/common.css")),
    readFileSync(join(import.meta.dirname, "guides.css"))
  ])

const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** Names headings as code hosts do, so that one link works in both places. */
const slug = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")

const block = (file, text) =>
  [
    "<figure>",
    file === undefined ? "" : `<figcaption>${escape(file)}</figcaption>`,
    `<pre tabindex="0"><code>${escape(text)}</code></pre>`,
    "</figure>\n"
  ].join("")

/** Links to files outside of docs/ become text: the service does not serve them. */
const rendererFor = (page, diagrams = 0) => ({
  heading({ depth, text, tokens }) {
    return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
  },
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens)
    const isOutside = !/^(https?:|#)/.test(href) && !resolve(docs, dirname(page), href).startsWith(`${docs}/`)
    return isOutside ? text : `<a href="${escape(href.replace(/\.md(?=#|$)/, ""))}">${text}</a>`
  },
  code({ lang = "", text }) {
    const [language, file] = lang.split(" ")
    if (language !== "mermaid") return block(file, text)
    diagrams += 1
    return `<figure class="diagram" tabindex="0">${drawDiagram(`arrow-${diagrams}`, text)}</figure>\n`
  },
  html({ text }) {
    return text.replaceAll(/<!--[^]*?-->/g, "")
  }
})

const layout = (page, title, body) => {
  const up = "../".repeat(page.split("/").length - 1)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Corridor</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}guides.css">
</head>
<body>
<header><nav aria-label="Documentation"><a href="${up}guides">Guides</a> <a href="${up}../docs">API reference</a></nav></header>
<main>
${body}</main>
</body>
</html>
`
}

/** Every file below docs/, by its path: `errors.md` is served as `errors`. */
export const renderGuides = async () => {
  const guides = new Map()
  for (const path of readdirSync(docs, { recursive: true, encoding: "utf8" }).toSorted()) {
    const ending = path.split(".").at(-1)
    if (ending === "md") {
      const text = readFileSync(join(docs, path), "utf8")
      const title = /^# (.+)$/m.exec(text)?.[1] ?? path
      const body = new Marked({ renderer: rendererFor(path) })
        .parse(text)
        .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
        .replaceAll("</table>", "</table></div>")
      guides.set(path.slice(0, -".md".length), { type: HTML, body: Buffer.from(layout(path, title, body)) })
    } else if (ending in assetTypes) {
      guides.set(path, { type: assetTypes[ending], body: readFileSync(join(docs, path)) })
    }
  }
  guides.set("guides.css", { type: CSS, body: readStyle() })
  return guides
}

export const buildGuides = async (outdir) => {
  const folder = resolve(project, outdir, "guides")
  rmSync(folder, { recursive: true, force: true })
  const guides = await renderGuides()
  for (const [path, { body }] of guides) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, `${path}.guide`), body)
  }
  const types = Object.fromEntries(Array.from(guides, ([path, { type }]) => [path, type]))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "types.json"), JSON.stringify(types))
}
