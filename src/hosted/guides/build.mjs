/** Renders docs/ to the pages that are served below /docs, as HTML and as Markdown, and writes the index `llms.txt`. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Marked } from "marked"
import { drawDiagram, escape } from "./diagrams.mjs"

const project = resolve(import.meta.dirname, "..", "..", "..")
const docs = join(project, "docs")

const HTML = "text/html; charset=utf-8"
const CSS = "text/css; charset=utf-8"
const MARKDOWN = "text/markdown; charset=utf-8"
const TEXT = "text/plain; charset=utf-8"
const assetTypes = { png: "image/png", sh: TEXT }

/** Colours and text are those of the API reference. */
const readStyle = () =>
  Buffer.concat([
    readFileSync(join(project, "src/reference/style/common.css")),
    readFileSync(join(import.meta.dirname, "guides.css"))
  ])

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

/** Whether a link leads out of docs/: the service does not serve such files, and shows only the text of the link. */
const isOutside = (page, href) => {
  const target = resolve(docs, dirname(page), href)
  return !/^(https?:|#)/.test(href) && target !== docs && !target.startsWith(`${docs}/`)
}

const rendererFor = (page, diagrams = 0) => ({
  heading({ depth, text, tokens }) {
    return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
  },
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens)
    return isOutside(page, href) ? text : `<a href="${escape(href.replace(/\.md(?=#|$)/, ""))}">${text}</a>`
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

/** The page as it was written, without comments. Fenced blocks stay as they are. */
const markdownOf = (page, text) =>
  text
    .split(/(^```[^]*?^```$)/m)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part
            .replaceAll(/^<!--[^]*?-->\n+/gm, "")
            .replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, title, href) => (isOutside(page, href) ? title : link))
    )
    .join("")

/** Replaced by the address of the service, which the build does not know. */
const ADDRESS = "{PUBLIC_URL}"

/** Index for programs that read the documentation: the service, the API, and the list of `guides.md` as Markdown pages. */
const indexOf = (guides) => {
  const sections = guides.slice(guides.indexOf("\n## ")).replaceAll(/\]\((?=[\w/-]+\.md)/g, `](${ADDRESS}/docs/`)
  return `# Corridor

> A payment orchestration service: payins and payouts by mobile money, bank transfer and card, crypto ramps, virtual accounts, escrow and payment links behind one HTTPS JSON API.

Every guide is Markdown at the addresses below, and a page for people at the same address without \`.md\`.

## API

- [OpenAPI document](${ADDRESS}/openapi.json): every operation, event and error, with examples.
- [API reference](${ADDRESS}/docs.md): every operation in short, with a sample. For people: [page](${ADDRESS}/docs).
- [Guides](${ADDRESS}/docs/guides.md): the list of all guides.
${sections}`
}

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
<link rel="alternate" type="text/markdown" href="${basename(page)}">
</head>
<body>
<header><nav aria-label="Documentation"><a href="${up}guides">Guides</a> <a href="${up}../docs">API reference</a></nav></header>
<main>
${body}</main>
</body>
</html>
`
}

/** Every file below docs/, by its path: `errors.md` is served as `errors`, and as Markdown under its own name. */
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
      const markdown = markdownOf(path, text)
      guides.set(path.slice(0, -".md".length), { type: HTML, body: Buffer.from(layout(path, title, body)) })
      guides.set(path, { type: MARKDOWN, body: Buffer.from(markdown) })
      if (path === "guides.md") guides.set("llms.txt", { type: TEXT, body: Buffer.from(indexOf(markdown)) })
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
