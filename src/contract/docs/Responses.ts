/** What an operation answers: per status its meaning, headers and fields, and the examples for the side column. */
import { codeBlock } from "./CodeBlock.ts"
import { examplesOf, jsonText } from "./Example.ts"
import { type Html, html } from "./Html.ts"
import { renderMarkdown } from "./Markdown.ts"
import { renderInline } from "./MarkdownInline.ts"
import type { Contents, Header, Operation, OpenApiDocument, Response } from "./OpenApiDocument.ts"
import type { Outline } from "./Outline.ts"
import { resolve } from "./References.ts"
import { typeLabel } from "./SchemaShape.ts"
import { schemaTree, type TreeOptions } from "./SchemaView.ts"

const successTree: TreeOptions = { linkBelow: 3, foldBelow: 2, sentBy: "service" }

/** Errors share few shapes, so those that have a name are linked; a success is spelled out. */
const errorTree: TreeOptions = { ...successTree, linkBelow: -1 }

const isSuccess = (status: string): boolean => status.startsWith("2")

const statusClass = (status: string): string => (/^[2-5]/.test(status) ? `status s${status[0]}` : "status")

const responsesOf = (document: OpenApiDocument, operation: Operation) =>
  Object.entries(operation.responses ?? {}).flatMap(([status, node]) => {
    const response = resolve<Response>(document, node)
    return response === undefined ? [] : [{ status, response }]
  })

const headersList = (document: OpenApiDocument, headers: NonNullable<Response["headers"]>): Html => {
  const items = Object.entries(headers).flatMap(([name, node]) => {
    const header = resolve<Header>(document, node)
    return header === undefined
      ? []
      : [
          html`<li>
            <div class="field">
              <code class="name">${name}</code> <span class="type">header, ${typeLabel(document, header.schema)}</span>
            </div>
            ${header.description !== undefined && html`<div class="prose"><p>${renderInline(header.description)}</p></div>`}
          </li>`
        ]
  })
  return html`<ul class="fields">
    ${items}
  </ul>`
}

export const contentTrees = (outline: Outline, contents: Contents, options: TreeOptions): ReadonlyArray<Html> =>
  Object.entries(contents).map(
    ([contentType, media]) =>
      html`<p class="media">${contentType}</p>
        ${schemaTree(outline, media.schema, options)}`
  )

export const responseList = (outline: Outline, operation: Operation): Html => {
  const items = responsesOf(outline.document, operation).map(({ response, status }) => {
    const { content, description = "", headers } = response
    const [first = "", ...rest] = description.split("\n\n")
    const summary = html`<summary>
      <span class="${statusClass(status)}">${status}</span> ${renderInline(first)}
    </summary>`
    const more =
      rest.length > 0 && html`<div class="prose">${renderMarkdown(rest.join("\n\n"), { topHeading: 5 })}</div>`
    const inner = html`${more}${headers !== undefined && headersList(outline.document, headers)}${content !== undefined && contentTrees(outline, content, isSuccess(status) ? successTree : errorTree)}`
    if (inner.markup === "")
      return html`<p class="response"><span class="${statusClass(status)}">${status}</span> ${renderInline(first)}</p>`
    return isSuccess(status)
      ? html`<details class="response" open>${summary}${inner}</details>`
      : html`<details class="response">${summary}${inner}</details>`
  })
  return html`${items}`
}

export const contentExamples = (document: OpenApiDocument, contents: Contents): ReadonlyArray<Html> =>
  Object.entries(contents).flatMap(([contentType, media]) => {
    const examples = examplesOf(document, media)
    return examples.map(({ title, value }) => {
      const text = typeof value === "string" && !contentType.includes("json") ? value : jsonText(value)
      return html`${title !== "Example" && html`<p class="note">${title}</p>`}${codeBlock(title, text)}`
    })
  })

export const responseExamples = (document: OpenApiDocument, operation: Operation): Html => {
  const items = responsesOf(document, operation).flatMap(({ response, status }) => {
    if (response.content === undefined) return []
    const summary = html`<summary>Response <span class="${statusClass(status)}">${status}</span></summary>`
    const examples = contentExamples(document, response.content)
    return isSuccess(status)
      ? html`<details open>${summary}${examples}</details>`
      : html`<details>${summary}${examples}</details>`
  })
  return html`${items}`
}
