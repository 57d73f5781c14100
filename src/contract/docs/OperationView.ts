/** One operation: what it does and takes on one side, a command and its answers on the other. */
import { codeBlock } from "./CodeBlock.ts"
import { curlExample } from "./CurlExample.ts"
import { Html, html } from "./Html.ts"
import { renderMarkdown } from "./Markdown.ts"
import type { RequestBody } from "./OpenApiDocument.ts"
import type { OperationEntry, Outline } from "./Outline.ts"
import { parametersTable } from "./Parameters.ts"
import { resolve } from "./References.ts"
import { contentExamples, contentTrees, responseExamples, responseList } from "./Responses.ts"

const lineBreak = Html.trusted("<wbr>")

/** A long path breaks after its slashes on a narrow screen. */
export const breakablePath = (path: string): Html =>
  html`${path.split("/").map((segment, index) => (index === 0 ? segment : [html`/`, lineBreak, segment]))}`

export const methodBadge = (method: string): Html => html`<span class="method ${method}">${method.toUpperCase()}</span>`

const bodySection = (outline: Outline, body: RequestBody): Html =>
  html`<h4>Request body</h4>
    ${body.description !== undefined && html`<div class="prose">${renderMarkdown(body.description, { topHeading: 5 })}</div>`}${contentTrees(outline, body.content, { linkBelow: 4, foldBelow: 2, sentBy: "caller" })}`

export const operationView = (outline: Outline, entry: OperationEntry): Html => {
  const { anchor, method, operation, path, title } = entry
  const { document } = outline
  const body = resolve<RequestBody>(document, operation.requestBody)
  return html`<section class="operation" id="${anchor}" aria-labelledby="${anchor}-title">
    <h3 id="${anchor}-title">
      <a href="#${anchor}">${title}</a
      >${operation.deprecated === true && html` <span class="deprecated">deprecated</span>`}
    </h3>
    <p class="route">
      ${methodBadge(method)}
      <code>${breakablePath(path)}</code>${!entry.authenticated && html` <span class="open">no credential</span>`}
    </p>
    <div class="columns">
      <div class="about">
        ${operation.description !== undefined && html`<div class="prose">${renderMarkdown(operation.description, { topHeading: 4 })}</div>`}
        ${
          entry.parameters.length !== 0 &&
          html`<h4>Parameters</h4>
            ${parametersTable(outline, entry)}`
        }
        ${body !== undefined && bodySection(outline, body)}
        <h4>Responses</h4>
        ${responseList(outline, operation)}
      </div>
      <div class="examples">
        <h4>Example</h4>
        ${codeBlock(`curl: ${title}`, curlExample(document, entry))}
        ${
          body !== undefined &&
          html`<details>
            <summary>Request body</summary>
            ${contentExamples(document, body.content)}
          </details>`
        }
        ${responseExamples(document, operation)}
      </div>
    </div>
  </section>`
}
