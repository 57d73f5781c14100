/** An account at MTN, and MTN's own definition of what it takes and answers. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Ajv } from "ajv"
import type { ProviderCall, ProviderHttp } from "../../../src/providers/client/ProviderHttp.ts"
import { mtnMomoFake } from "../../../src/providers/mtnMomo/Fake.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomo.ts"
import type { Account } from "../../../src/providers/port/ThirdParty.ts"
import { accountOf } from "../OverTheWire.ts"

export const connected = (
  http: ProviderHttp,
  credentials: Readonly<Record<string, string>> = {},
  about: Partial<Account<typeof mtnMomo.fields>> = {}
) => mtnMomo.connect(accountOf(mtnMomo, http, { ...mtnMomoFake.credentials, ...credentials }, about))

const folder = fileURLToPath(new URL("../../../../shared/contracts/", import.meta.url))

export const contractsAreHere = existsSync(`${folder}mtn-momo-collection.openapi.json`)

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required?: boolean }>
  readonly requestBody?: unknown
}

const documents = new Map(
  (contractsAreHere ? (["collection", "disbursement"] as const) : []).map((product) => {
    const document = JSON.parse(readFileSync(`${folder}mtn-momo-${product}.openapi.json`, "utf8")) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    }
    const ajv = new Ajv({ strict: false, unicodeRegExp: false, allErrors: true })
    ajv.addSchema({ ...document, $id: product })
    return [product as string, { ajv, document }]
  })
)

const found = (method: string, path: string) => {
  const [, product = "", rest = ""] = /^\/(collection|disbursement)(\/.*)$/.exec(path) ?? []
  const contract = documents.get(product)!
  const template = Object.keys(contract.document.paths).find((one) =>
    new RegExp(`^${one.replace(/\{\w+\}/g, "[^/]+")}$`).test(rest)
  )
  const operation = template === undefined ? undefined : contract.document.paths[template]![method.toLowerCase()]
  if (template === undefined || operation === undefined) return undefined
  const at = (...parts: ReadonlyArray<string>) =>
    `${product}#/paths/${encodeURIComponent(template.replaceAll("/", "~1"))}/${method.toLowerCase()}/${parts
      .map((part) => encodeURIComponent(part.replaceAll("/", "~1")))
      .join("/")}`
  return { ajv: contract.ajv, operation, at }
}

const judged = (ajv: Ajv, schema: string, value: unknown): ReadonlyArray<string> =>
  ajv.validate({ $ref: schema }, value)
    ? []
    : (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`)

/** What is wrong with a call by MTN's definition. */
export const problemsOf = ({ body, headers = {}, method, path }: ProviderCall): ReadonlyArray<string> => {
  const contract = found(method, path)
  if (contract === undefined) return [`there is no ${method} ${path}`]
  const { ajv, at, operation } = contract
  const missing = (operation.parameters ?? [])
    .filter((one) => one.in === "header" && one.required === true)
    .filter(({ name }) => headers[name.toLowerCase()] === undefined)
    .map(({ name }) => `the header ${name} is missing`)
  const schema = at("requestBody", "content", "application/json", "schema")
  return operation.requestBody === undefined ? missing : [...missing, ...judged(ajv, schema, JSON.parse(body ?? ""))]
}

/** The same of an answer, where the definition says what it holds. */
export const problemsOfAnswer = (method: string, path: string, status: number, text: string): ReadonlyArray<string> => {
  const contract = found(method, path)
  if (contract === undefined) return [`there is no ${method} ${path}`]
  const response = contract.at("responses", `${status}`)
  const schema = `${response}/content/application~1json/schema`
  if (contract.ajv.getSchema(response) === undefined) return [`no ${status} is answered to ${method} ${path}`]
  return text === "" ? [] : judged(contract.ajv, schema, JSON.parse(text))
}
