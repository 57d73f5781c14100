/** The table of an operation's path, query and header parameters. */
import { type Html, html } from "./Html.ts"
import { renderMarkdown } from "./Markdown.ts"
import { givenExamples } from "./Example.ts"
import { literalText, ownDescription } from "./Constraints.ts"
import type { OperationEntry, Outline } from "./Outline.ts"
import { notesOf } from "./SchemaView.ts"
import { shapeOf, typeLabel } from "./SchemaShape.ts"

export const parametersTable = ({ document }: Outline, { parameters }: OperationEntry): Html => {
  const rows = parameters.map((parameter) => {
    const shape = shapeOf(document, parameter.schema)
    const described = parameter.description === undefined ? shape.schema : { description: parameter.description }
    const description = ownDescription(described) ?? ""
    const example = givenExamples(document, parameter)[0]
    return html`<tr role="row">
      <th scope="row" role="rowheader"><code class="name">${parameter.name}</code></th>
      <td role="cell">${parameter.in}</td>
      <td role="cell"><span class="type">${typeLabel(document, parameter.schema)}</span></td>
      <td role="cell">
        ${parameter.required === true ? html`<span class="required">required</span>` : "optional"}${parameter.deprecated === true && html` <span class="deprecated">deprecated</span>`}
      </td>
      <td role="cell" class="wide">
        ${description !== "" && html`<div class="prose">${renderMarkdown(description, { topHeading: 6 })}</div>`}${notesOf(shape)}${example !== undefined && html`<p class="note">Example <code>${literalText(example.value)}</code></p>`}
      </td>
    </tr>`
  })
  return html`<div class="scroll">
    <table class="parameters" role="table">
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">Name</th>
          <th scope="col" role="columnheader">In</th>
          <th scope="col" role="columnheader">Type</th>
          <th scope="col" role="columnheader">Required</th>
          <th scope="col" role="columnheader">Description</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows}
      </tbody>
    </table>
  </div>`
}
