/** The contract as OpenAPI: both credential headers in one requirement, so that generated clients send both. */
import { type OpenApiJsonSchema as JsonSchema, OpenApi, OpenApiJsonSchema } from "@effect/platform"
import { Api } from "../api/Api.ts"
import { codeSamples, type Sampled } from "./CodeSamples.ts"
import { errorSchemas, withErrors } from "./OpenApiErrors.ts"
import { eventEnvelope, eventExample, eventsAbout } from "../api/WebhookEvents.ts"
import { type EventType, eventTypes } from "../../domain/EventTypes.ts"
import { stringify, LosslessNumber } from "lossless-json"
import { escapeText } from "../../domain/Html.ts"
import { Either } from "effect"
import { fractionDigits, fromJsonNumber, MONEY, roundToScale, toPlainText } from "../../domain/Decimal.ts"

/** Descriptions that Effect generates for its own schemas and checks. */
const generated =
  /^(a|an) (string|number|integer|array|non empty string|non-negative|positive|bigint|boolean|date)\b|^an? \w+ (matching|between|at most|at least|that will)/

const generatedTitle = /^(unknown|int|nonEmptyString|\w+\(.*\))$/

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isGenerated = (key: string, value: unknown): boolean =>
  (key === "$id" && typeof value === "string" && value.startsWith("/schemas/")) ||
  (key === "title" && typeof value === "string" && generatedTitle.test(value)) ||
  (key === "description" && typeof value === "string" && generated.test(value))

/** Examples are left unchanged. */
const isExample = (key: string): boolean => key === "example" || key === "examples"

const withoutGenerated = <A>(node: A): A => {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, child]) => !isGenerated(key, child))
        .map(([key, child]) => [key, isExample(key) ? child : clean(child)])
    )
  }
  return clean(node) as A
}

/** Describes the webhook events as `webhooks` of the OpenAPI document, with their headers. */
const header = (name: string, description: string, required = true) => ({
  name,
  in: "header",
  required,
  schema: { type: "string" },
  description
})

const headers = [
  header("X-Service-Signature", "HMAC-SHA256 of the raw body under the endpoint's `secret_key`, in hex"),
  header("X-Service-Event-Id", "The `event_id` of the body"),
  header("X-Service-Event-Type", "The `event_type` of the body"),
  header("X-Service-Attempt", "Number of the delivery attempt, from 1"),
  header("X-Service-Test", "`true` on a test notification, and absent otherwise", false),
  header("webhook-id", "Extension. The `event_id`, for libraries of Standard Webhooks"),
  header("webhook-timestamp", "Extension. Time of this attempt, in seconds since 1970"),
  header("webhook-signature", "Extension. The signature of Standard Webhooks, or two of them after a rotation"),
  header("traceparent", "Extension. Trace of the request that caused the event, if tracing is on", false)
]

const operationOf = (type: EventType, schema: JsonSchema.JsonSchema) => ({
  post: {
    operationId: `event.${type}`,
    tags: ["webhookLog"],
    summary: type,
    description: `${eventsAbout[type].fires} Answer with any 2xx status within 10 seconds; the body is not read.`,
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: { "application/json": { schema, example: eventExample(type) } }
    },
    responses: {
      "2XX": { description: "Accepted" },
      default: { description: "Refused: retried with growing delays for just under 24 hours" }
    }
  }
})

const webhooksOf = () => {
  const schemas: Record<string, JsonSchema.JsonSchema> = {}
  const webhooks = Object.fromEntries(
    eventTypes.map((type) => {
      const schema = OpenApiJsonSchema.makeWithDefs(eventEnvelope(type), {
        defs: schemas,
        defsPath: "#/components/schemas/",
        additionalPropertiesStrategy: "allow"
      })
      return [type, operationOf(type, schema)] as const
    })
  )
  return { webhooks, schemas }
}

const securitySchemes: OpenApi.OpenAPIComponents["securitySchemes"] = {
  authorization: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "`Bearer <JWT>`, or the literal `NONE` when an API key is used"
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-Api-Key",
    description: "The API key, or the literal `NONE` when a JWT is used"
  }
}

const security = [{ authorization: [], apiKey: [] }]

const local = "http://127.0.0.1:3000"

/** The environment that answers is the one that PUBLIC_URL names; the other stands beside it as an example. */
const serversOf = (publicUrl: string, mode: "sandbox" | "live"): Array<OpenApi.OpenAPISpecServer> => {
  const live = mode === "live"
  return [
    { url: `${publicUrl}/v1`, description: live ? "Production" : "Development (sandbox)" },
    live
      ? { url: `${local}/v1`, description: "Development (sandbox), where it runs by default" }
      : { url: "https://{host}/v1", description: "Production", variables: { host: { default: "api.example.com" } } }
  ]
}

/** Removed from the document: the platform adds it to every endpoint, but a 400 has our own body. */
const DECODE_ERROR = "HttpApiDecodeError"

type Operation = OpenApi.OpenAPISpec["paths"][string][OpenApi.OpenAPISpecMethodName]

const shown = (path: string, operation: NonNullable<Operation>): NonNullable<Operation> => {
  const content = operation.responses[400]?.content?.["application/json"]
  const schema = content?.schema as { readonly anyOf?: ReadonlyArray<{ readonly $ref?: string }> } | undefined
  const [own] = schema?.anyOf?.filter(({ $ref }) => $ref?.endsWith(DECODE_ERROR) !== true) ?? []
  if (content !== undefined && own !== undefined) content.schema = own as typeof content.schema
  return {
    ...operation,
    responses: withErrors(path, operation.responses),
    security: operation.security.length > 0 ? operation.security : security
  }
}

const ownSchemas = ({
  [DECODE_ERROR]: _,
  Issue: _issue,
  PropertyKey: _key,
  ...schemas
}: Record<string, JsonSchema.JsonSchema>) => schemas

type Paths = OpenApi.OpenAPISpec["paths"]

/** Built from the final examples. */
const withSamples = (paths: Paths, url: string, components: Components): Paths =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => {
          const media = operation.requestBody?.content["application/json"]
          const signed = operation.security.some((one) => Object.keys(one).length === 0)
          // A schema that is referred to says what its values are as well.
          const parameters = operation.parameters.map((one) => {
            const choices = choicesOf(components, one.schema as SchemaNode)
            return { ...one, schema: Object.assign({}, ...choices) as object }
          })
          const { operationId } = operation
          const about = { operationId, method, path, url, parameters, media, signed } as Sampled
          return [method, { ...operation, "x-codeSamples": codeSamples(about) }]
        })
      )
    ])
  ) as Paths

/** Serialise with lossless-json, which keeps exact amounts in examples. */
export const openApiDocument = (publicUrl: string, mode: "sandbox" | "live") => {
  const document = OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" })
  const { schemas, webhooks } = webhooksOf()
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, operations]) => [
      path.replace(/^\/v1/, ""),
      Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, shown(path, operation)]))
    ])
  )
  const written = withAmounts(
    withoutGenerated({
      ...document,
      paths,
      webhooks,
      security,
      components: {
        schemas: { ...ownSchemas({ ...schemas, ...document.components.schemas }), ...errorSchemas },
        securitySchemes
      },
      servers: serversOf(publicUrl, mode)
    })
  )
  const components = written.components.schemas as unknown as Components
  return { ...written, paths: withSamples(written.paths, `${publicUrl}/v1`, components) }
}

const STAND_IN = "https://address.invalid"
const noServers = '"servers":[]'

/**
 * Built once, because it takes half a second: the build uses a placeholder address, which the server replaces. Written
 * with lossless-json, which keeps exact amounts in examples.
 */
export const openApiTemplate = (): string => stringify({ ...openApiDocument(STAND_IN, "sandbox"), servers: [] }) ?? ""

export const openApiText = (template: string, publicUrl: string, mode: "sandbox" | "live"): string =>
  template
    .replace(noServers, () => `"servers":${JSON.stringify(serversOf(publicUrl, mode))}`)
    .replaceAll(STAND_IN, () => JSON.stringify(publicUrl).slice(1, -1))

/** The reference page as rendered from the template, with the address of this server. */
export const referenceHtml = (page: string, publicUrl: string): string =>
  page.replaceAll(STAND_IN, () => escapeText(publicUrl))

/** Amounts in examples as they are on the wire: with their fraction, which a number of JavaScript cannot have. */
export type SchemaNode = JsonSchema | boolean

export interface JsonSchema {
  readonly $ref?: string
  readonly format?: string
  readonly items?: SchemaNode | ReadonlyArray<SchemaNode>
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode
  readonly allOf?: ReadonlyArray<SchemaNode>
  readonly anyOf?: ReadonlyArray<SchemaNode>
  readonly oneOf?: ReadonlyArray<SchemaNode>
}

export type Components = Readonly<Record<string, SchemaNode>>

const PREFIX = "#/components/schemas/"

export const choicesOf = (
  components: Components,
  node: SchemaNode | undefined,
  seen: ReadonlySet<SchemaNode> = new Set()
): ReadonlyArray<JsonSchema> => {
  if (typeof node !== "object" || seen.has(node)) return []
  const { $ref, allOf = [], anyOf = [], oneOf = [] } = node
  const target = $ref?.startsWith(PREFIX) === true ? [components[$ref.slice(PREFIX.length)]] : []
  const passed = new Set([...seen, node])
  return [node, ...[...target, ...allOf, ...anyOf, ...oneOf].flatMap((one) => choicesOf(components, one, passed))]
}

export const itemsOf = ({ items = [] }: JsonSchema): ReadonlyArray<SchemaNode> =>
  Array.isArray(items) ? (items as ReadonlyArray<SchemaNode>) : [items as SchemaNode]

export const fieldOf = ({ additionalProperties, properties }: JsonSchema, key: string): ReadonlyArray<SchemaNode> => {
  const field = properties?.[key] ?? additionalProperties
  return field === undefined ? [] : [field]
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => isObject(value) && !(value instanceof LosslessNumber)

const mapValues = (node: Node, change: (value: unknown, key: string) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]))

const CENTS = 2

const withFraction = (amount: number): LosslessNumber => {
  const decimal = Either.getOrThrow(fromJsonNumber(amount))
  const scale = Math.max(CENTS, fractionDigits(decimal))
  return new LosslessNumber(toPlainText(roundToScale(decimal, scale, "half-even")))
}

const written = (components: Components, nodes: ReadonlyArray<SchemaNode>, example: unknown): unknown => {
  const choices = nodes.flatMap((node) => choicesOf(components, node))
  if (typeof example === "number") {
    return choices.some(({ format }) => format === MONEY) ? withFraction(example) : example
  }
  if (Array.isArray(example)) {
    const items = choices.flatMap(itemsOf)
    return example.map((item: unknown) => written(components, items, item))
  }
  if (!isNode(example)) return example
  return mapValues(example, (value, key) =>
    written(
      components,
      choices.flatMap((schema) => fieldOf(schema, key)),
      value
    )
  )
}

/** Of a media type and of a schema alike: the examples that stand in it, each by the schema beside it. */
const rewritten = (components: Components, node: unknown): unknown => {
  if (Array.isArray(node)) return node.map((one: unknown) => rewritten(components, one))
  if (!isNode(node)) return node
  const schema = (isNode(node["schema"]) ? node["schema"] : node) as JsonSchema
  const as = (value: unknown) => written(components, [schema], value)
  return mapValues(node, (value, key) => {
    if (key === "example") return as(value)
    if (key !== "examples") return rewritten(components, value)
    if (Array.isArray(value)) return value.map(as)
    return mapValues(value as Node, (one) => (isNode(one) ? { ...one, value: as(one["value"]) } : one))
  })
}

export const withAmounts = <A extends { readonly components: { readonly schemas: object } }>(document: A): A =>
  rewritten(document.components.schemas as Components, document) as A
