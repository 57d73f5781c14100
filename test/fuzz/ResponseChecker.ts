/** Checks an answer: documented status and shape, headers, no internals, no other organisation's ids. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { Caller } from "./Callers.ts"
import { bodySchema, type Document, type Operation, operationAt, operationsOf } from "./Document.ts"
import type { Ids, TestObjects } from "./TestObjects.ts"
import type { Answer, Sent } from "./RawHttpClient.ts"

/** Texts that only internals contain. */
const inside: ReadonlyArray<RegExp> = [
  /\n\s+at \S+/,
  /\bat (async )?[\w.<>]+ \(.*:\d+:\d+\)/,
  /node_modules|\/src\/|dist\/main|file:\/\/\/[a-z]+\/.*\.[cm]?js/,
  /SqlError|ParseError|TypeError|RangeError|ReferenceError|SyntaxError|UnexpectedRow/,
  /\b(select|insert into|update|delete from)\b.{1,80}\b(from|values|set|where)\b/i,
  /syntax error at|violates|duplicate key|relation \\?"|column \\?"|invalid input|invalid byte sequence|pg_|SQLSTATE/,
  /\[object Object\]|Symbol\(/
]

const initiationPath = "/v1/payments-init/"

const error = { type: "object", required: ["status", "message"], properties: { status: { enum: ["error"] } } }

const pointed = (schema: unknown): object =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/components/", "document#/components/")) as object

const allIds = (...sets: ReadonlyArray<Ids>): ReadonlyArray<string> =>
  sets.flatMap((ids) => Object.entries(ids).flatMap(([name, all]) => (isPublic(name) ? [] : all)))

const isPublic = (name: string): boolean => name === "provider" || name === "permission"

export class ResponseChecker {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false })
  /** Compiled schemas by their text; compiling is slow and most errors are shared. */
  readonly #compiled = new Map<string, ValidateFunction>()
  readonly #texts = new Map<string, string>()
  readonly #brought = new Set<string>()
  readonly #operations: ReadonlyArray<Operation>

  constructor(document: Document) {
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: "document", ...pointed({ components: document.components }) })
    this.#operations = operationsOf(document)
  }

  operationOf({ method, target }: Sent): Operation | undefined {
    return operationAt(this.#operations, method, target)
  }

  #flaw(name: string, schema: unknown, value: unknown): string | undefined {
    const text = this.#texts.get(name) ?? JSON.stringify(schema)
    this.#texts.set(name, text)
    const fits = this.#compiled.get(text) ?? this.#ajv.compile(pointed(schema))
    this.#compiled.set(text, fits)
    return fits(value) ? undefined : this.#ajv.errorsText(fits.errors)
  }

  #shape(operation: Operation, { headers, status, text }: Answer): string | undefined {
    const described = operation.about.responses[String(status)]
    if (described === undefined) return `the document does not list ${status}`
    const schema = described.content?.["application/json"]?.schema
    if (schema === undefined) return text === "" ? undefined : `the document shows no content for ${status}`
    if (headers["content-type"] !== "application/json") return `content type ${headers["content-type"]}`
    const flaw = this.#flaw(`${operation.name} ${status}`, schema, JSON.parse(text))
    return flaw === undefined ? undefined : `not as documented for ${status}: ${flaw}`
  }

  /** A body that the schema forbids must be refused. */
  #taken(operation: Operation, { body }: Sent, { status }: Answer): string | undefined {
    const schema = bodySchema(operation)
    if (schema === undefined || status >= 300 || body === undefined || body.length === 0) return undefined
    const flaw = this.#flaw(`${operation.name} body`, schema, JSON.parse(body.toString("utf8")))
    return flaw === undefined ? undefined : `takes what the document forbids: ${flaw}`
  }

  #unknownPath({ method, target }: Sent, { status, text }: Answer): string | undefined {
    if (!target.startsWith("/v1/")) return undefined
    if (status !== 404) return `nothing is there, and it answers ${status}`
    if (method === "HEAD") return undefined
    const body = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (target.startsWith(initiationPath) && body["code"] !== "NOT_FOUND") return "a 404 without its code"
    return this.#flaw("error", error, body)
  }

  #headers({ headers, status }: Answer): string | undefined {
    if (headers["x-request-id"] === undefined) return "no X-Request-Id"
    if (headers["x-content-type-options"] !== "nosniff") return "no nosniff"
    if (headers["cache-control"] === undefined) return "no Cache-Control"
    if (headers["x-injected"] !== undefined) return "a header that the caller wrote"
    if ([429, 503].includes(status) && headers["retry-after"] === undefined) return `${status} without Retry-After`
    return undefined
  }

  /** Notes ids that a request may have shown to another organisation. */
  #bring({ org }: Caller, sent: Sent, { ours, theirs }: TestObjects): void {
    const text = (decodeURIComponentSafely(sent.target) + (sent.body?.toString("latin1") ?? "")).toLowerCase()
    const [ofOurs, ofTheirs] = [allIds(...ours), allIds(theirs)].map((ids) =>
      ids.filter((id) => text.includes(id.toLowerCase()))
    )
    if (org !== "ours" && (org !== "all" || ofTheirs!.length > 0)) for (const id of ofOurs!) this.#brought.add(id)
    if (org !== "theirs" && (org !== "all" || ofOurs!.length > 0)) for (const id of ofTheirs!) this.#brought.add(id)
  }

  /** No caller sees another organisation's ids, unless they were sent to it. */
  #leak(caller: Caller, sent: Sent, { status, text }: Answer, objects: TestObjects): string | undefined {
    const { org } = caller
    // The mutation may have completed half a credential.
    if (org === "all" || (org === "none" && !isAs(caller, sent))) return undefined
    const foreign =
      org === "ours" ? [objects.theirs] : org === "theirs" ? objects.ours : [objects.theirs, ...objects.ours]
    const seen = allIds(...foreign).find((id) => text.includes(id) && !this.#brought.has(id))
    if (seen !== undefined) {
      const at = text.indexOf(seen)
      return `shows what belongs to another organisation: …${text.slice(Math.max(0, at - 120), at + 40)}…`
    }
    const path = decodeURIComponentSafely(sent.target.split("?", 1)[0] ?? "")
    const named = allIds(...foreign).find((id) => path.includes(id))
    return named !== undefined && status < 300 && sent.target.startsWith("/v1/")
      ? `${status} for ${named}, which belongs to another organisation`
      : undefined
  }

  #admission(caller: Caller, sent: Sent, operation: Operation, { status, text }: Answer): string | undefined {
    const noRoute = status === 404 && text.includes("nothing at this path")
    if (caller.org !== "none" || !isAs(caller, sent) || isOpen(operation) || noRoute || status === 401) return undefined
    return `${status} without a credential`
  }

  /** The problem with an answer; undefined: none. */
  problemWith(sent: Sent, caller: Caller, answer: Answer | string, objects: TestObjects): string | undefined {
    this.#bring(caller, sent, objects)
    if (typeof answer === "string") return answer
    const { status, text } = answer
    // Refused by Node's parser.
    if (status === 431 && sizeOf(sent) > MOST_HEADER_BYTES) return undefined
    if (status === 500 || (status > 500 && status !== 502 && status !== 503)) return `${status}`
    const spoken = inside.find((pattern) => pattern.test(text))
    const page = /^\/(docs|openapi\.json|metrics)/.test(sent.target)
    if (spoken !== undefined && !page) return `speaks of the inside (${spoken.source}): ${text.slice(0, 300)}`
    const operation = this.operationOf(sent)
    try {
      return (
        this.#headers(answer) ??
        (isOpen(operation) ? undefined : this.#leak(caller, sent, answer, objects)) ??
        (operation === undefined
          ? this.#unknownPath(sent, answer)
          : (this.#admission(caller, sent, operation, answer) ??
            this.#shape(operation, answer) ??
            this.#taken(operation, sent, answer)))
      )
    } catch (problem) {
      return `cannot be read: ${String(problem)}`
    }
  }
}

/** Operations without credential, whose callers sign. */
const isOpen = (operation: Operation | undefined): boolean =>
  operation?.about.security?.some((scheme) => Object.keys(scheme).length === 0) === true

const credentialsIn = (headers: Sent["headers"]): string =>
  JSON.stringify(headers.filter(([name]) => name === "authorization" || name === "x-api-key"))

/** Whether the request still has exactly its caller's credentials. */
const isAs = (caller: Caller, { headers }: Sent): boolean => credentialsIn(headers) === credentialsIn(caller.headers)

const MOST_HEADER_BYTES = 16 * 1024 - 512

const sizeOf = ({ headers, target }: Sent): number =>
  target.length + headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)

const decodeURIComponentSafely = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
