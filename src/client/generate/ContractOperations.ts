/** The operations and schemas of the contract, as the generators of the published clients read them. */
import { openApiDocument } from "../../contract/openapi/OpenApiDocument.ts"
import type { Body, Document, Operation, Parameter, Schema } from "./OpenApiTypes.ts"

export interface ContractOperation {
  readonly group: string
  readonly name: string
  readonly method: string
  /** With parameters as `{name}`. */
  readonly path: string
  readonly summary: string
  readonly pathParameters: ReadonlyArray<Parameter>
  readonly query: ReadonlyArray<Parameter>
  readonly headers: ReadonlyArray<Parameter>
  readonly body: { readonly schema: Schema; readonly isRequired: boolean } | undefined
  /** Schema of each successful status; empty: no body. */
  readonly answers: ReadonlyArray<Schema>
  /** Schema of the items of a list with pages. */
  readonly item: Schema | undefined
  /** Takes an Idempotency-Key. */
  readonly keyed: boolean
}

const KEY = "Idempotency-Key"

const schemaOf = ({ content }: Body): ReadonlyArray<Schema> => {
  const schema = content?.["application/json"]?.schema
  return schema === undefined ? [] : [schema]
}

const operationOf = (method: string, path: string, about: Operation): ContractOperation => {
  const [group = "", name = ""] = about.operationId.split(".")
  const { parameters = [], requestBody: body } = about
  const inPlace = (place: Parameter["in"]) =>
    parameters.filter((one) => one.in === place && one.name !== KEY).map((one) => ({ ...one }))
  const answers = Object.entries(about.responses).flatMap(([status, one]) =>
    status.startsWith("2") ? schemaOf(one) : []
  )
  const [page] = answers
  return {
    group,
    name,
    method: method.toUpperCase(),
    path: `/v1${path}`,
    summary: about.summary ?? "",
    pathParameters: inPlace("path"),
    query: inPlace("query"),
    headers: inPlace("header"),
    body: body && { schema: schemaOf(body)[0] ?? {}, isRequired: body.required === true },
    answers,
    item: page?.properties?.["meta"] === undefined ? undefined : page.properties["data"]?.items,
    keyed: parameters.some((one) => one.name === KEY)
  }
}

const document = openApiDocument("https://corridor.invalid", "sandbox") as unknown as Document

export const contractOperations: ReadonlyArray<ContractOperation> = Object.entries(document.paths).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, about]) => operationOf(method, path, about))
)

export const contractSchemas = document.components.schemas

/** The body of a delivery, one for each type of event. */
export const contractEvents: ReadonlyArray<Schema> = Object.values(document.webhooks).flatMap(({ post }) =>
  schemaOf(post?.requestBody ?? {})
)

export const byGroup = (): ReadonlyMap<string, ReadonlyArray<ContractOperation>> => {
  const groups = new Map<string, Array<ContractOperation>>()
  for (const one of contractOperations) groups.set(one.group, [...(groups.get(one.group) ?? []), one])
  return groups
}

/** Name of the component that a schema refers to. */
export const referredTo = ({ $ref }: Schema): string | undefined => $ref?.slice($ref.lastIndexOf("/") + 1)

export const choicesIn = (schema: Schema): ReadonlyArray<Schema> | undefined => schema.anyOf ?? schema.oneOf

/** Components that the schemas refer to, directly or not. */
const componentsIn = (schemas: ReadonlyArray<Schema>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (schema: Schema): void => {
    const name = referredTo(schema)
    if (name !== undefined) {
      if (found.has(name)) return
      found.add(name)
      visit(contractSchemas[name] ?? {})
    }
    for (const one of [
      ...(choicesIn(schema) ?? []),
      ...(schema.allOf ?? []),
      ...Object.values(schema.properties ?? {})
    ])
      visit(one)
    if (schema.items !== undefined) visit(schema.items)
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties)
  }
  schemas.forEach(visit)
  return found
}

export const sentComponents = componentsIn(
  contractOperations.flatMap(({ body }) => (body === undefined ? [] : [body.schema]))
)
export const answeredComponents = componentsIn(contractOperations.flatMap(({ answers }) => answers))
