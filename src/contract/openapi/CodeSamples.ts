/** Each operation as a program would call it, in three languages, from its own example: shown beside it in the reference. */
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

const json = (value: unknown): string => stringify(value, undefined, 2) ?? ""

type Headers = ReadonlyArray<readonly [name: string, value: string]>

const KEY = "X-Api-Key"

const headersOf = ({ parameters, signed }: Sampled, body: unknown): Headers => [
  ...(signed
    ? []
    : ([
        ["Authorization", "NONE"],
        [KEY, "$CORRIDOR_KEY"]
      ] as const)),
  ...parameters
    .filter((one) => one.in === "header" && (one.required === true || one.name === "Idempotency-Key"))
    .map((one) => [one.name, one.required === true ? valueOf(one) : "order-1042"] as const),
  ...(body === undefined ? [] : ([["Content-Type", "application/json"]] as const))
]

const curl = (method: string, address: string, headers: Headers, body: unknown): string =>
  [
    `curl -X ${method} "${address}"`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${json(body).replaceAll("'", "'\\''")}'`])
  ].join(" \\\n  ")

/** The key is never written into a program. */
const inJs = ([name, value]: Headers[number]): string =>
  `"${name}": ${value === "$CORRIDOR_KEY" ? "process.env.CORRIDOR_KEY" : JSON.stringify(value)}`

const node = (method: string, address: string, headers: Headers, body: unknown): string =>
  [
    `const answer = await fetch("${address}", {`,
    `  method: "${method}",`,
    `  headers: {\n    ${headers.map(inJs).join(",\n    ")}\n  }${body === undefined ? "" : ","}`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(json(body), "  ")})`]),
    "})",
    "console.log(answer.status, await answer.text())"
  ].join("\n")

const inPython = ([name, value]: Headers[number]): string =>
  `"${name}": ${value === "$CORRIDOR_KEY" ? 'os.environ["CORRIDOR_KEY"]' : JSON.stringify(value)}`

/** JSON is Python, but for three words. */
const pythonValue = (value: unknown): string =>
  json(value).replaceAll(/(?<=[:[,]\s*)(true|false|null)(?=\s*[,\]}\n])/g, (word) =>
    word === "true" ? "True" : word === "false" ? "False" : "None"
  )

const python = (method: string, address: string, headers: Headers, body: unknown): string =>
  [
    "import json, os, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    "${address}",`,
    `    method="${method}",`,
    `    headers={${headers.map(inPython).join(", ")}},`,
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(pythonValue(body), "    ")}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as answer:",
    "    print(answer.status, answer.read().decode())"
  ].join("\n")

export const codeSamples = (operation: Sampled): ReadonlyArray<CodeSample> => {
  const method = operation.method.toUpperCase()
  const address = addressOf(operation)
  const body = bodyOf(operation)
  const headers = headersOf(operation, body)
  return [
    { lang: "Shell", label: "curl", source: curl(method, address, headers, body) },
    { lang: "JavaScript", label: "Node", source: node(method, address, headers, body) },
    { lang: "Python", label: "Python", source: python(method, address, headers, body) }
  ]
}
