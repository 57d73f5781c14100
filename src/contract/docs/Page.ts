/** The browsable API reference: one self-contained page made from the OpenAPI document, without a script. */
import { createHash } from "node:crypto"
import { ownDescription } from "./Constraints.ts"
import { serverUrl } from "./CurlExample.ts"
import { Html, html } from "./Html.ts"
import { renderMarkdown } from "./Markdown.ts"
import { navigation } from "./Navigation.ts"
import type { OpenApiDocument } from "./OpenApiDocument.ts"
import { operationView } from "./OperationView.ts"
import { type Outline, outlineOf, type TagEntry } from "./Outline.ts"
import { schemaTree } from "./SchemaView.ts"
import { shapeOf } from "./SchemaShape.ts"
import { style } from "./Style.ts"

export interface ReferencePage {
  readonly html: string
  /** Value of the `Content-Security-Policy` header that the page is to be served with. */
  readonly contentSecurityPolicy: string
}

const styleElement = Html.trusted(`<style>${style}</style>`)

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Given as data, so that the browser does not ask for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f4fd8'/%3E%3Cpath d='M11 5.2a4 4 0 1 0 0 5.6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

const overview = (outline: Outline): Html => {
  const { info, servers = [] } = outline.document
  const anchors = outline.headings.values()
  return html`<section class="overview" aria-labelledby="title">
    <h1 id="title">${info.title} <span class="version">${info.version}</span></h1>
    ${info.summary !== undefined && html`<p class="lead">${info.summary}</p>`}
    ${
      servers.length !== 0 &&
      html`<dl class="servers">
        ${servers.map(
          (server) =>
            html`<div>
              <dt>${server.description ?? "Base URL"}</dt>
              <dd><code>${serverUrl(server)}</code></dd>
            </div>`
        )}
      </dl>`
    }
    <div class="prose">
      ${renderMarkdown(info.description ?? "", { topHeading: 2, anchorOf: () => anchors.next().value?.anchor })}
    </div>
  </section>`
}

const tagSection = (outline: Outline, tag: TagEntry): Html =>
  html`<section aria-labelledby="${tag.anchor}">
    <h2 id="${tag.anchor}">${tag.name}</h2>
    ${tag.description !== undefined && html`<div class="prose">${renderMarkdown(tag.description, { topHeading: 3 })}</div>`}
    ${tag.operations.map((entry) => operationView(outline, entry))}
  </section>`

const schemasSection = (outline: Outline): Html => {
  const { document, schemas } = outline
  const entries = schemas.map((name) => {
    const node = document.components?.schemas?.[name]
    const description = ownDescription(shapeOf(document, node).schema)
    return html`<section class="schema" aria-labelledby="${outline.schemaAnchor(name)}">
      <h3 id="${outline.schemaAnchor(name)}">${name}</h3>
      ${description !== undefined && html`<div class="prose">${renderMarkdown(description, { topHeading: 4 })}</div>`}
      ${schemaTree(outline, node, { linkBelow: 0, foldBelow: 1, sentBy: "caller" })}
    </section>`
  })
  return html`<section aria-labelledby="schemas">
    <h2 id="schemas">Schemas</h2>
    ${entries}
  </section>`
}

export const renderReference = (document: OpenApiDocument): ReferencePage => {
  const outline = outlineOf(document)
  const { info } = document
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title} API reference</title>
        <link rel="icon" href="${icon}" />
        ${styleElement}
      </head>
      <body id="top">
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <a class="brand" href="#top">${info.title}</a> <span>API reference</span>
          <a class="document" href="/openapi.json">OpenAPI</a> <a class="menu" href="#contents">Contents</a>
        </header>
        <div class="layout">
          ${navigation(outline)}
          <main id="main" tabindex="-1">
            ${overview(outline)} ${outline.tags.map((tag) => tagSection(outline, tag))}
            ${outline.schemas.length > 0 && schemasSection(outline)}
          </main>
        </div>
        ${info.license !== undefined && html`<footer><p>License: ${info.license.name}</p></footer>`}
      </body>
    </html> `
  return { html: page.markup, contentSecurityPolicy }
}
