/** The contract as OpenAPI: both credential headers in one requirement, so that generated clients send both. */
import { OpenApi } from "@effect/platform"
import { Api } from "../api/Api.ts"

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

export const openApiDocument = (publicUrl: string, mode: "sandbox" | "live"): OpenApi.OpenAPISpec => {
  const document = OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" })
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, operations]) => [
      path.replace(/^\/v1/, ""),
      Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, { ...operation, security }]))
    ])
  )
  return {
    ...document,
    paths,
    security,
    components: { ...document.components, securitySchemes },
    servers: serversOf(publicUrl, mode)
  }
}
