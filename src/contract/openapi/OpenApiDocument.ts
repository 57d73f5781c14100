/** The contract as OpenAPI: both credential headers in one requirement, so that generated clients send both. */
import { type OpenApiJsonSchema as JsonSchema, OpenApi } from "@effect/platform"
import { Api } from "../api/Api.ts"
import { withAmounts } from "./Amounts.ts"
import { codeSamples, type Sampled } from "./CodeSamples.ts"
import { errorSchemas, withErrors } from "./Errors.ts"
import { choicesOf, type Components, type SchemaNode } from "./SchemaChoices.ts"
import { withoutGenerated } from "./Schemas.ts"
import { webhooksOf } from "./Webhooks.ts"

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
export const serversOf = (publicUrl: string, mode: "sandbox" | "live"): Array<OpenApi.OpenAPISpecServer> => {
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
          const about = { method, path, url, parameters, media, signed } as Sampled
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
