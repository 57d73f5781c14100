/**
 * Each operation by curl and by the clients for JavaScript and Python, from its own example: shown beside it in the
 * reference.
 */
import { stringify } from "lossless-json"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: {
    readonly examples?: ReadonlyArray<unknown>
    readonly format?: string
    readonly enum?: ReadonlyArray<unknown>
  }
}

interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

export interface Sampled {
  /** Group and name, such as `payments.byId`: the call of the clients. */
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly url: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly media: Media | undefined
  /** Carries its own proof instead of the two headers. */
  readonly signed: boolean
}

interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

const ID = "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88"

/** The organisation of all examples. */
export const ORG = "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f"

const valueOf = ({ name, schema }: Parameter): string => {
  const [given] = schema?.examples ?? schema?.enum ?? []
  if (given !== undefined) return String(given)
  if (name === "org_id") return ORG
  return name.endsWith("_id") ? ID : name.toUpperCase()
}

const addressOf = ({ parameters, path, url }: Sampled): string => {
  const filled = parameters
    .filter((one) => one.in === "path")
    .reduce((text, one) => text.replace(`{${one.name}}`, encodeURIComponent(valueOf(one))), path)
  const query = parameters.filter((one) => one.in === "query" && one.required === true)
  const asked = new URLSearchParams(Object.fromEntries(query.map((one) => [one.name, valueOf(one)])))
  return `${url}${filled}${query.length > 0 ? `?${asked}` : ""}`
}

const bodyOf = ({ media }: Sampled): unknown => media?.example ?? Object.values(media?.examples ?? {})[0]?.value

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`)

const json = (value: unknown, indent = 2): string => stringify(value, undefined, indent) ?? ""

type Headers = ReadonlyArray<readonly [name: string, value: string]>

const KEY = "X-Api-Key"

/** An idempotency key of the caller. */
const ORDER = "order-1042"

const headersOf = ({ parameters, signed }: Sampled, body: unknown): Headers => [
  ...(signed
    ? []
    : ([
        ["Authorization", "NONE"],
        [KEY, "$CORRIDOR_API_KEY"]
      ] as const)),
  ...parameters
    .filter((one) => one.in === "header" && (one.required === true || one.name === "Idempotency-Key"))
    .map((one) => [one.name, one.required === true ? valueOf(one) : ORDER] as const),
  ...(body === undefined ? [] : ([["Content-Type", "application/json"]] as const))
]

const curl = (method: string, address: string, headers: Headers, body: unknown): string =>
  [
    `curl -X ${method} "${address}"`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${json(body).replaceAll("'", "'\\''")}'`])
  ].join(" \\\n  ")

const isIdempotencyKey = ({ name }: Parameter): boolean => name === "Idempotency-Key"

/** Path, required query and required headers, as the client takes them. */
const requestOf = ({ parameters }: Sampled, body: unknown): Readonly<Record<string, unknown>> => {
  const valuesIn = (place: string) => {
    const own = parameters.filter((one) => one.in === place && one.required === true)
    return own.length === 0 ? undefined : Object.fromEntries(own.map((one) => [one.name, valueOf(one)]))
  }
  const parts = { path: valuesIn("path"), urlParams: valuesIn("query"), headers: valuesIn("header"), payload: body }
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}

/** The key is never written into a program. */
const javaScript = (operation: Sampled, root: string, body: unknown): string => {
  const request = requestOf(operation, body)
  const isKeyed = operation.parameters.some(isIdempotencyKey)
  // Names without quotes, as programs are written.
  const written = json(request).replaceAll(/^(\s*)"([a-zA-Z_]\w*)":/gm, "$1$2:")
  const sent = Object.keys(request).length === 0 && !isKeyed ? "" : written
  return [
    'import { createCorridor } from "@corridor/client"',
    "",
    `const corridor = createCorridor({ url: "${root}", apiKey: process.env.CORRIDOR_API_KEY })`,
    `const answer = await corridor.${operation.operationId}(${sent}${isKeyed ? `, { idempotencyKey: "${ORDER}" }` : ""})`,
    "console.log(answer)"
  ].join("\n")
}

export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const isPythonKeyword = (name: string): boolean =>
  /^(and|as|async|await|class|continue|def|del|for|from|global|if|import|in|is|lambda|not|or|pass|try|with)$/.test(name)

/** Name of a method or argument. Keywords of Python get an underscore, as usual there. */
export const pythonName = (name: string): string => {
  const snake = snakeCase(name.replaceAll("-", "_"))
  return isPythonKeyword(snake) ? `${snake}_` : snake
}

const pythonWords: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" }

/** JSON is Python, but for three words and decimals. */
const pythonValue = (value: unknown): string =>
  json(value, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi,
    (token) => pythonWords[token] ?? (/^-?\d+[.e]/i.test(token) ? `Decimal("${token}")` : token)
  )

const python = (operation: Sampled, root: string, body: unknown): string => {
  const { parameters } = operation
  const inPath = parameters.filter((one) => one.in === "path").map((one) => JSON.stringify(valueOf(one)))
  const others = parameters
    .filter((one) => one.in !== "path" && (one.required === true || isIdempotencyKey(one)))
    .map((one) =>
      isIdempotencyKey(one) ? `idempotency_key="${ORDER}"` : `${pythonName(one.name)}=${JSON.stringify(valueOf(one))}`
    )
  const all = [...inPath, ...(body === undefined ? [] : [pythonValue(body)]), ...others]
  const list = all.some((one) => one.includes("\n"))
    ? `\n${all.map((one) => `    ${indented(one, "    ")},\n`).join("")}`
    : all.join(", ")
  const [group = "", name = ""] = operation.operationId.split(".")
  return [
    "import os",
    ...(list.includes("Decimal(") ? ["from decimal import Decimal"] : []),
    "from corridor import Corridor",
    "",
    `corridor = Corridor("${root}", api_key=os.environ["CORRIDOR_API_KEY"])`,
    `answer = corridor.${snakeCase(group)}.${pythonName(name)}(${list})`,
    "print(answer)"
  ].join("\n")
}

export const codeSamples = (operation: Sampled): ReadonlyArray<CodeSample> => {
  const method = operation.method.toUpperCase()
  const address = addressOf(operation)
  const body = bodyOf(operation)
  const headers = headersOf(operation, body)
  const root = operation.url.replace(/\/v1$/, "")
  return [
    { lang: "Shell", label: "curl", source: curl(method, address, headers, body) },
    { lang: "JavaScript", label: "JavaScript", source: javaScript(operation, root, body) },
    { lang: "Python", label: "Python", source: python(operation, root, body) }
  ]
}
