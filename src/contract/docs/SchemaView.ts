/** A schema as a tree of fields that folds, with what is deep or recursive left to a link into the list of schemas. */
import { allowedValues, constraintsOf, literalText, ownDescription } from "./Constraints.ts"
import { type Content, type Html, html } from "./Html.ts"
import { renderMarkdown } from "./Markdown.ts"
import type { SchemaNode } from "./OpenApiDocument.ts"
import type { Outline } from "./Outline.ts"
import { itemOf, type Shape, shapeOf, typeLabel, valueOf } from "./SchemaShape.ts"

export interface TreeOptions {
  /** Named schemas below this depth are linked instead of shown. */
  readonly linkBelow: number
  /** Objects nested below this depth start folded. */
  readonly foldBelow: number
  /** A caller needs to know what to send; of an answer, only what may be missing. */
  readonly sentBy: "caller" | "service"
}

const prose = (text = ""): Content =>
  text !== "" && html`<div class="prose">${renderMarkdown(text, { topHeading: 6 })}</div>`

/** Limits, allowed values and default of a field, one short line each; a format that has a name needs no pattern. */
export const notesOf = ({ schema }: Shape): Html => {
  const constraints = constraintsOf(schema)
  const values = allowedValues(schema)
  return html`${constraints.length > 0 && html`<p class="note">${constraints.join(", ")}</p>`}
  ${schema.pattern !== undefined && schema.format === undefined && html`<p class="note">Pattern <code>${schema.pattern}</code></p>`}
  ${values.length > 0 && html`<p class="note">${values.length === 1 ? "Always " : "One of "}${values.map((value) => html`<code>${value}</code> `)}</p>`}
  ${schema.default !== undefined && html`<p class="note">Default <code>${literalText(schema.default)}</code></p>`}`
}

export const schemaTree = (outline: Outline, root: SchemaNode | undefined, options: TreeOptions): Html => {
  const { document } = outline

  const link = (name: string): Html => html`<a href="#${outline.schemaAnchor(name)}">${name}</a>`

  /** An array or a map stands for the fields of what it holds. */
  const innermost = (shape: Shape, seen: ReadonlyArray<Shape["name"]> = []): Shape => {
    const child = itemOf(shape.schema) ?? (shape.schema.properties === undefined ? valueOf(shape.schema) : undefined)
    if (child === undefined || shape.alternatives.length > 0) return shape
    const inner = shapeOf(document, child)
    return inner.name !== undefined && seen.includes(inner.name) ? inner : innermost(inner, [...seen, inner.name])
  }

  const fieldList = (items: ReadonlyArray<Html>): Content =>
    items.length > 0 &&
    html`<ul class="fields">
      ${items}
    </ul>`

  const isLinked = ({ name }: Shape, depth: number, path: ReadonlyArray<string>): boolean =>
    name !== undefined && (path.includes(name) || depth > options.linkBelow)

  const body = (shape: Shape, depth: number, path: ReadonlyArray<string>): Content => {
    const properties = Object.entries(shape.schema.properties ?? {})
    if (properties.length === 0 && shape.alternatives.length === 0) return undefined
    if (shape.name !== undefined && isLinked(shape, depth, path))
      return html`<p class="note">See ${link(shape.name)}</p>`
    const inner = shape.name === undefined ? path : [...path, shape.name]
    const required = new Set(shape.schema.required)
    return [
      fieldList(properties.map(([name, node]) => field(name, node, required.has(name), depth, inner))),
      fieldList(shape.alternatives.map((node, index) => choice(node, index, depth, inner)))
    ]
  }

  const nested = (outer: Shape, depth: number, path: ReadonlyArray<string>): Content => {
    const shape = innermost(outer)
    const content = body(shape, depth, path)
    if (content === undefined || isLinked(shape, depth, path)) return content
    const count = Object.keys(shape.schema.properties ?? {}).length
    const label = count === 0 ? "Alternatives" : count === 1 ? "1 field" : `${count} fields`
    return depth > options.foldBelow
      ? html`<details>
          <summary>${label}</summary>
          ${content}
        </details>`
      : html`<details open>
          <summary>${label}</summary>
          ${content}
        </details>`
  }

  const presence = (required: boolean): Content =>
    options.sentBy === "caller"
      ? required && html` <span class="required">required</span>`
      : !required && html` <span class="type">may be absent</span>`

  const field = (
    name: string,
    node: SchemaNode,
    required: boolean,
    depth: number,
    path: ReadonlyArray<string>
  ): Html => {
    const shape = shapeOf(document, node)
    return html`<li>
      <div class="field">
        <code class="name">${name}</code>
        <span class="type">${typeLabel(document, node)}</span
        >${presence(required)}${shape.schema.deprecated === true && html` <span class="deprecated">deprecated</span>`}
      </div>
      ${prose(ownDescription(shape.schema))}${notesOf(shape)}${nested(shape, depth + 1, path)}
    </li>`
  }

  const choice = (node: SchemaNode, index: number, depth: number, path: ReadonlyArray<string>): Html => {
    const shape = shapeOf(document, node)
    const title = shape.name ?? shape.schema.title ?? `Alternative ${index + 1}`
    return html`<li>
      <div class="field">
        <span class="choice">${title}</span> <span class="type">${typeLabel(document, node)}</span>
      </div>
      ${prose(ownDescription(shape.schema))}${notesOf(shape)}${nested(shape, depth + 1, path)}
    </li>`
  }

  const shape = shapeOf(document, root)
  const shown = innermost(shape)
  const named = options.linkBelow > 0 ? (shape.name ?? shown.name) : undefined
  return html`<p class="field">
      <span class="type">${typeLabel(document, root)}</span>${named !== undefined && html` ${link(named)}`}
    </p>
    ${notesOf(shape)}${body(shown, 0, [])}`
}
