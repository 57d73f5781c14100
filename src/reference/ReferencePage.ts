/** Renders the API reference to one static page: contents, introduction, operations by group, events and models. */
import type { Content, Html } from "../domain/Html.ts"
import { html, inlineMarkdown, markdown } from "./ReferenceHtml.ts"
import type { Body, Document, Parameter, Schema } from "../client/generate/OpenApiTypes.ts"
import {
  examplesOf,
  readExact,
  valueText,
  alternatives,
  boundsOf,
  hasFields,
  insideOf,
  type Schemas,
  typeOf,
  withoutNull
} from "./OpenApiModel.ts"
import { contentsOf, type Entry, type Group, type OperationEntry, schemaId } from "./ReferenceContents.ts"
import { credentialNames } from "./TestRequest.ts"

const method = (name: string): Html => html`<span class="method ${name.toLowerCase()}">${name}</span>`

/** A named model is linked here; the script copies its fields in when the reader opens it. */
const nested = (schemas: Schemas, schema: Schema, title: string): Html => {
  const { name } = insideOf(schemas, schema)
  return name === undefined
    ? html`<details>
        <summary>${title}</summary>
        ${fieldList(schemas, schema)}
      </details>`
    : html`<details data-model="${name}">
        <summary>${title}</summary>
        <a href="#${schemaId(name)}">${name}</a>
      </details>`
}

interface Field {
  readonly name: string
  readonly schema: Schema
  readonly required?: boolean | undefined
  readonly description?: string | undefined
}

const field = (schemas: Schemas, { description, name, required, schema }: Field): Html => {
  const { schema: own } = withoutNull(schemas, schema)
  const inside = insideOf(schemas, schema)
  const choices = alternatives(schemas, inside.schema)
  const values = own.enum ?? inside.schema.enum
  const text = description ?? own.description
  const example = values === undefined ? own.examples?.[0] : undefined
  const hasChoices = choices.length > 1 && choices.some((one) => hasFields(insideOf(schemas, one).schema))
  return html`<li>
    <div class="field">
      <code class="name">${name}</code>
      <span class="type">${typeOf(schemas, schema)}</span>
      ${required === true && html`<span class="required">required</span>`}
      ${boundsOf(own).map((bound) => html` <span class="bound">${bound}</span>`)}
    </div>
    ${text !== undefined && html`<p>${inlineMarkdown(text)}</p>`}
    ${values !== undefined && html`<p class="values">${values.map((value) => html`<code>${valueText(value)}</code> `)}</p>`}
    ${example !== undefined && html`<p class="bound">for example <code>${valueText(example)}</code></p>`}
    ${hasFields(inside.schema) && nested(schemas, schema, `Fields of ${inside.name ?? name}`)}
    ${hasChoices && nested(schemas, schema, `Choices of ${name}`)}
  </li>`
}

/** Fields of an object, the alternatives of a union, or the value itself; for a list, those of its items. */
const fieldList = (schemas: Schemas, schema: Schema): Html => {
  const { name, schema: own } = insideOf(schemas, schema)
  const choices = alternatives(schemas, own)
  const fields: ReadonlyArray<Field> =
    choices.length > 1
      ? choices.map((one, at) => ({ name: insideOf(schemas, one).name ?? `Choice ${at + 1}`, schema: one }))
      : hasFields(own)
        ? Object.entries(own.properties ?? {}).map(([key, one]) => ({
            name: key,
            schema: one,
            required: own.required?.includes(key)
          }))
        : [{ name: name ?? "value", schema }]
  return html`<ul class="fields">
    ${fields.map((one) => field(schemas, one))}
  </ul>`
}

const modelLink = (schemas: Schemas, schema: Schema): Html | false => {
  const { name } = insideOf(schemas, schema)
  return (
    name !== undefined &&
    html`<p class="model">${schema.type === "array" && "A list of "}<a href="#${schemaId(name)}">${name}</a></p>`
  )
}

const schemaIn = (body: Body | undefined) => Object.values(body?.content ?? {})[0]?.schema

const parameterPlaces: ReadonlyArray<readonly [Parameter["in"], string]> = [
  ["path", "In the path"],
  ["query", "In the query"],
  ["header", "Headers"]
]

const parameters = (schemas: Schemas, { about }: OperationEntry): Content =>
  parameterPlaces.map(([place, title]) => {
    const own = about.parameters?.filter((one) => one.in === place) ?? []
    return (
      own.length > 0 &&
      html`<h4>${title}</h4>
        <ul class="fields">
          ${own.map((one) => field(schemas, one))}
        </ul>`
    )
  })

const response = (schemas: Schemas, status: string, body: Body): Html => {
  const schema = schemaIn(body)
  const name = schema === undefined ? undefined : insideOf(schemas, schema).name
  return html`<details class="response" ${name !== undefined && html`data-model="${name}"`}>
    <summary>
      <code class="${status.startsWith("2") ? "good" : "bad"}">${status}</code>
      <span>${inlineMarkdown(body.description ?? "")}</span>
    </summary>
    ${
      schema === undefined
        ? html`<p>No body.</p>`
        : [modelLink(schemas, schema), name === undefined && fieldList(schemas, schema)]
    }
  </details>`
}

const details = (schemas: Schemas, entry: OperationEntry): Content => {
  const body = schemaIn(entry.about.requestBody)
  return [
    parameters(schemas, entry),
    body !== undefined && [
      html`<h4>${entry.kind === "event" ? "Payload" : "Body"}</h4>`,
      modelLink(schemas, body),
      fieldList(schemas, body)
    ],
    entry.kind === "operation" && [
      html`<h4>Answers</h4>`,
      Object.entries(entry.about.responses).map(([status, one]) => response(schemas, status, one))
    ]
  ]
}

interface Panel {
  readonly title: string
  readonly content: Html
}

const code = (label: string, text: string): Html =>
  html`<div class="code">
    <pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>
  </div>`

/** Panels, of which the script shows the one that the reader selects. */
const panels = (heading: Content, label: string, all: ReadonlyArray<Panel>): Html =>
  html`<div class="bar">
      ${heading}
      ${
        all.length < 2
          ? html`<span class="only">${all[0]?.title}</span>`
          : html`<select class="panel-choice" aria-label="${label}">
              ${all.map(({ title }) => html`<option>${title}</option>`)}
            </select>`
      }
    </div>
    <div class="panels">${all.map(({ content }, at) => html`<div ${at > 0 && html`hidden`}>${content}</div>`)}</div>`

/** The choice of a language counts for all operations: an attribute of the page shows its samples. */
const languages = ({ about, title }: OperationEntry): Content => {
  const samples = about["x-codeSamples"] ?? []
  return (
    samples.length > 0 &&
    html`<div class="card">
      <div class="bar" role="group" aria-label="Language of the sample">
        ${samples.map(
          ({ label }, at) =>
            html`<button
              type="button"
              class="button"
              data-language="${label}"
              aria-pressed="${at === 0 ? "true" : "false"}"
            >
              ${label}
            </button>`
        )}
      </div>
      ${samples.map(
        ({ label, source }) =>
          html`<div class="sample" data-language="${label}">${code(`${title} by ${label}`, source)}</div>`
      )}
    </div>`
  )
}

const requestExamples = ({ about, kind }: OperationEntry): Content => {
  const all = examplesOf(about.requestBody).map(({ text, title }) => ({ title, content: code(`Body: ${title}`, text) }))
  const heading = html`<h4>${kind === "event" ? "Payload" : "Request body"}</h4>`
  return all.length > 0 && html`<div class="card">${panels(heading, "Example of the request", all)}</div>`
}

const responseExamples = ({ about }: OperationEntry): Html => {
  const all = Object.entries(about.responses).flatMap(([status, body]): ReadonlyArray<Panel> => {
    const examples = examplesOf(body)
    if (examples.length === 0) return [{ title: status, content: html`<p class="empty">No body</p>` }]
    return examples.map(({ text, title }) => ({
      title: examples.length === 1 ? status : `${status}: ${title}`,
      content: code(`Answer ${status}: ${title}`, text)
    }))
  })
  return html`<div class="card">${panels(html`<h4>Answer</h4>`, "Example of the answer", all)}</div>`
}

const operationSection = (schemas: Schemas, entry: OperationEntry): Html =>
  html`<section id="${entry.id}" class="entry operation" aria-label="${entry.title}">
    <div class="described">
      <h3><a href="#${entry.id}">${entry.title}</a></h3>
      <p class="address">${method(entry.method)} <code>${entry.path}</code></p>
      ${markdown(entry.about.description ?? "")} ${details(schemas, entry)}
    </div>
    <div class="samples">
      ${entry.kind === "operation" && html`<button type="button" class="button primary test">Test Request</button>`}
      ${languages(entry)} ${requestExamples(entry)} ${entry.kind === "operation" && responseExamples(entry)}
    </div>
  </section>`

const textSection = ({ id, title }: Entry, content: Content): Html =>
  html`<section id="${id}" class="entry" aria-label="${title}"><div class="described">${content}</div></section>`

const section = (schemas: Schemas, entry: Entry): Html => {
  if (entry.kind === "text") return textSection(entry, [html`<h2>${entry.title}</h2>`, markdown(entry.markdown)])
  if (entry.kind !== "schema") return operationSection(schemas, entry)
  const heading = html`<h3><a href="#${entry.id}">${entry.title}</a></h3>`
  const { description = "" } = entry.schema
  return textSection(entry, [heading, markdown(description), fieldList(schemas, entry.schema)])
}

const group = (schemas: Schemas, { description, entries, id, title }: Group): Html =>
  html`<div class="group-of">
    <header id="${id}" class="group">
      <h2>${title}</h2>
      ${markdown(description)}
    </header>
    ${entries.map((entry) => section(schemas, entry))}
  </div>`

const contents = (groups: ReadonlyArray<Group>): Html =>
  html`<aside id="contents">
    <button type="button" class="button search"><span>Search</span> <kbd>Ctrl K</kbd></button>
    <nav aria-label="Contents">
      <ul>
        ${groups.map(
          ({ entries, title }, at) =>
            html`<li>
              <details ${at === 1 && html`open`}>
                <summary>${title}</summary>
                <ul>
                  ${entries.map(
                    (entry) =>
                      html`<li>
                        <a href="#${entry.id}"
                          ><span>${entry.title}</span>${entry.kind === "operation" && method(entry.method)}</a
                        >
                      </li>`
                  )}
                </ul>
              </details>
            </li>`
        )}
      </ul>
    </nav>
  </aside>`

/**
 * Fields for credentials. Not password fields, so no browser offers to keep them. `place` makes the ids of problems
 * unique.
 */
const credentialFields = (place: string): Html =>
  html`<div class="secrets">
    ${credentialNames.map(
      (name, at) =>
        html`<div>
          <div class="secret">
            <label
              ><span>${name}</span
              ><input
                type="text"
                class="masked"
                name="header ${name}"
                autocomplete="off"
                spellcheck="false"
                placeholder="NONE"
                value="${at === 0 ? "NONE" : ""}"
                aria-invalid="false"
                aria-describedby="${place}-${name}"
            /></label>
            <button type="button" class="button reveal" aria-pressed="false">
              <span class="action">Show</span><span class="unseen"> ${name}</span>
            </button>
          </div>
          <small id="${place}-${name}" role="alert" class="problem"></small>
        </div>`
    )}
  </div>`

const introduction = ({ info }: Document, { description, id }: Group): Html =>
  html`<div id="${id}" class="introduction">
    <div class="described">
      <p class="version">
        Version ${info.version} · <a href="./openapi.json" download="openapi.json">Download the OpenAPI document</a>
      </p>
      <h1>${info.title}</h1>
      ${markdown(description)}
    </div>
    <div class="samples script-only">
      <div class="card">
        <div class="bar"><h2>Your credentials</h2></div>
        ${credentialFields("page")}
        <p class="empty">For the test requests and samples of this page. They go to this server and are not stored.</p>
      </div>
    </div>
  </div>`

const topBar = (title: string): Html =>
  html`<header class="top">
    <strong>${title}</strong>
    <button type="button" class="button search">Search</button>
    <button type="button" class="button menu" aria-label="Open the menu" aria-expanded="false" aria-controls="contents">
      Menu
    </button>
  </header>`

/** Filled by the script. */
const dialogs = html`<dialog id="search" class="search-box" aria-label="Search the reference">
    <div class="inner">
      <input
        type="text"
        role="combobox"
        aria-label="Search the reference"
        aria-controls="found"
        aria-expanded="false"
        autocomplete="off"
        spellcheck="false"
        placeholder="An operation, a path, a field, an event"
      />
      <ul id="found" role="listbox" aria-label="Found"></ul>
      <p role="status" hidden>Nothing has these words.</p>
    </div>
  </dialog>
  <dialog id="test-request" class="test-request">
    <div class="inner">
      <form>
        <header>
          <h2></h2>
          <button type="button" class="button close">Close</button>
        </header>
        <p class="address"></p>
        ${credentialFields("request")}
        <div class="inputs"></div>
        <button type="submit" class="button primary">Send</button>
      </form>
      <div class="outcome"></div>
    </div>
  </dialog>`

/** Given as data, so that the browser does not ask for /favicon.ico. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f4fd8'/%3E%3Cpath d='M11 5.2a4 4 0 1 0 0 5.6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

/** Renders the OpenAPI document, given as JSON. Addresses are relative, so the service may be served below any path. */
export const renderReference = (openApi: string): string => {
  const document = readExact(openApi) as Document
  const [first, ...groups] = contentsOf(document)
  const { schemas } = document.components
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title} API reference</title>
        <link rel="icon" href="${icon}" />
        <link rel="stylesheet" href="docs/reference.css" />
        <link rel="alternate" type="text/markdown" href="docs.md" />
        <script type="module" src="docs/reference.js"></script>
      </head>
      <body data-language="curl">
        <div id="reference">
          ${topBar(document.info.title)} ${contents([first!, ...groups])}
          <main>
            ${introduction(document, first!)} ${first!.entries.map((entry) => section(schemas, entry))}
            ${groups.map((one) => group(schemas, one))}
          </main>
        </div>
        ${dialogs}
      </body>
    </html> `.markup
}
