/** The document under the eyes of others: Redocly's and Spectral's recommended rules, ajv on every example, and ours. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core"
import spectralRulesets from "@stoplight/spectral-rulesets"
import { readdirSync, readFileSync } from "node:fs"
import { isLosslessNumber, parse, stringify } from "lossless-json"
import { describe, expect, it } from "vitest"
import { codes } from "../../../src/domain/Failure.ts"
import { failureCodes } from "../../../src/domain/PaymentStatus.ts"
import { eventTypes } from "../../../src/domain/EventTypes.ts"
import { openApiDocument } from "../../../src/contract/openapi/OpenApiDocument.ts"
import { type Document, examplesOf, type Media, operationsOf } from "./DocumentedOperations.ts"
import { validatorOf } from "./Validator.ts"

const text = stringify(openApiDocument("https://pay.corridor.dev", "sandbox")) ?? ""
const document = JSON.parse(text) as Document

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null

/** Every object in it, with the path to it. */
const nodesIn = (
  value: unknown,
  path: ReadonlyArray<string> = []
): ReadonlyArray<readonly [path: string, node: Node]> =>
  isNode(value)
    ? [
        [path.join("/"), value] as const,
        ...Object.entries(value).flatMap(([key, child]) => nodesIn(child, [...path, key]))
      ]
    : []

const operations = operationsOf({ ...document, paths: { ...document.paths, ...document.webhooks } })

const bodiesOf = ({ about }: (typeof operations)[number]): ReadonlyArray<readonly [what: string, media: Media]> => [
  ...(about.requestBody === undefined ? [] : ([["the request", about.requestBody]] as const)),
  ...Object.entries(about.responses).map(([status, media]) => [`the answer ${status}`, media] as const)
]

/** Findings about Effect's own output, which cannot be fixed here. */
const generated = /^(a|an) (string|number|integer|array|non empty)\b|^(min|max)\w+\(|did not match the expected schema/

const money = /amount|balance|fee$|fees$|disburse|total$/

describe("The OpenAPI document", () => {
  it("has no errors by Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ["recommended"] })
    const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config })
    const errors = problems.filter(({ severity }) => severity === "error")
    expect(errors.map(({ location, message, ruleId }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([])
    expect(problems.filter(({ ruleId }) => ruleId === "no-invalid-media-type-examples")).toEqual([])
    expect(
      problems.flatMap(({ location, ruleId }) => (ruleId === "tag-description" ? [location[0]?.pointer] : [])),
      "describe each group with `.annotate(OpenApi.Description, …)`"
    ).toEqual([])
  })

  it("has no errors by Spectral's recommended rules", async () => {
    const spectral = new spectralCore.Spectral()
    // The types of its two packages do not agree.
    const oas = spectralRulesets.oas as unknown as RulesetDefinition
    // Whether examples fit is asked of ajv below, which compiles each schema once.
    spectral.setRuleset({ extends: [[oas, "recommended"]], rules: { "oas3-valid-media-example": "off" } })
    const errors = (await spectral.run(JSON.parse(text) as Record<string, unknown>)).filter(
      ({ severity }) => severity === 0
    )
    expect(errors.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`)).toEqual([])
  })

  it("has schemas that ajv takes without a complaint, and examples that fit them", () => {
    const { complaints, flaws } = validatorOf(document)
    const found = operations.flatMap((operation) =>
      bodiesOf(operation).flatMap(([what, media]) =>
        Object.values(media.content ?? {}).flatMap(({ schema }) =>
          flaws(
            schema,
            examplesOf(media).filter((one) => one !== undefined)
          ).map((flaw) => `${what} of ${operation.name}: ${flaw}`)
        )
      )
    )
    expect(found).toEqual([])
    expect(complaints).toEqual([])
  })

  it("gives no two schemas one id", () => {
    const ids = nodesIn(document).flatMap(([, node]) => (typeof node["$id"] === "string" ? [node["$id"]] : []))
    expect(ids).toEqual([])
  })

  it("is described by people", () => {
    const words = nodesIn(document).flatMap(([path, node]) =>
      [node["description"], node["title"]].flatMap((one) =>
        typeof one === "string" && generated.test(one) ? [`${path}: ${one}`] : []
      )
    )
    expect(words, "say it in a sentence of your own, with `.annotations({ description })`").toEqual([])
  })

  it("loses none of the descriptions in the contract", () => {
    const written = /description:\s*"((?:[^"\\]|\\.)*)"/g
    const reported = nodesIn(document).flatMap(([, node]) => {
      const { description } = node
      return typeof description === "string" ? [description] : []
    })
    const shown = reported.join("\n")
    const folder = "src/contract/api"
    const lost = readdirSync(folder).flatMap((name) =>
      Array.from(
        readFileSync(`${folder}/${name}`, "utf8").matchAll(written),
        ([, words]) => JSON.parse(`"${words}"`) as string
      )
        .filter((words) => !shown.includes(words))
        .map((words) => `${name}: ${words}`)
    )
    expect(
      lost,
      "a `jsonSchema` with a type of its own hides the description beside it: write it into the `jsonSchema`; in a struct with defaults describe the schema, not the optional field"
    ).toEqual([])
  })

  it("describes every field of an initiation, a ramp and an action, with the limits of its texts", () => {
    const schemas = document.components["schemas"] as Readonly<Record<string, Node>>
    const fields = ["InitiatePayment", "InitiateRamp", "ActOnPayment"].flatMap((name) =>
      nodesIn(schemas[name], [name]).flatMap(([path, node]) =>
        isNode(node["properties"])
          ? Object.entries(node["properties"]).map(([key, one]) => [`${path}.${key}`, one] as const)
          : []
      )
    )
    expect(fields.length).toBeGreaterThan(50)
    const describes = (node: unknown): boolean =>
      isNode(node) &&
      (typeof node["description"] === "string" ||
        typeof node["$ref"] === "string" ||
        [node["anyOf"], node["allOf"]].some((all) => Array.isArray(all) && all.some(describes)))
    expect(fields.flatMap(([path, node]) => (describes(node) ? [] : [path]))).toEqual([])
    const { client_reference, description, org_id, user_id } = schemas["InitiatePayment"]!["properties"] as Record<
      string,
      Node
    >
    expect([client_reference, description]).toMatchObject([
      { anyOf: [{ minLength: 1, maxLength: 255 }, { type: "null" }] },
      { anyOf: [{ minLength: 1, maxLength: 1000 }, { type: "null" }] }
    ])
    expect([org_id, user_id]).toMatchObject([{ type: "string" }, { type: "string" }])
  })

  it("names every code of an error, and has every error of an initiation in its own shape", () => {
    for (const [code, status] of Object.entries(codes)) expect(text, `${code} ${status}`).toContain(`\`${code}\``)
    for (const code of Object.keys(failureCodes)) expect(text).toContain(`\`${code}\``)
    const initiations = operations.filter(({ path }) => path.startsWith("/payments-init/"))
    expect(initiations.map(({ path }) => path).toSorted()).toEqual([
      "/payments-init/initiate",
      "/payments-init/ramp",
      "/payments-init/route-preview",
      "/payments-init/{payment_id}/action"
    ])
    for (const { about, path } of initiations) {
      const errors = Object.entries(about.responses).filter(([status]) => !status.startsWith("2"))
      for (const [status, media] of errors) {
        const schema = media.content?.["application/json"]?.schema
        expect(schema, `${path} ${status}`).toEqual({ $ref: "#/components/schemas/InitiationError" })
      }
      if (!path.endsWith("route-preview")) expect(errors.map(([status]) => status)).toContain("409")
    }
    const { properties, required } = (document.components["schemas"] as Record<string, Node>)["InitiationError"] ?? {}
    expect(Object.keys(properties as Node)).toEqual([
      ...["status", "error", "message", "code"],
      ...["payment_id", "transaction_id", "rate"]
    ])
    expect(required).toEqual(["status", "error", "message", "code"])
  })

  it("writes money in examples with its fraction", () => {
    const exact = parse(text) as Document
    const bare = nodesIn(exact).flatMap(([path, node]) =>
      /\/examples?(\/|$)/.test(path)
        ? Object.entries(node).flatMap(([key, value]) =>
            money.test(key) && isLosslessNumber(value) && !value.value.includes(".")
              ? [`${path}/${key}: ${value.value}`]
              : []
          )
        : []
    )
    expect(bare, "give its schema the format `MONEY`, as `AmountInput` and `WireDecimal` have it").toEqual([])
    expect(text).toContain('"amount":1500.00')
  })

  it("shows a payin of each kind, one of them across currencies, and a payout", () => {
    const [initiate] = operations.filter(({ path }) => path === "/payments-init/initiate")
    const kinds = examplesOf(initiate?.about.requestBody).map((one) => {
      const { direction, payment_method } = one as Readonly<Record<string, unknown>>
      return `${String(direction)} ${String(payment_method)}`
    })
    const across = "payin mobile_money"
    expect(kinds).toEqual([
      "payin mobile_money",
      "payin bank_transfer",
      "payin card",
      "payin card",
      across,
      "payout mobile_money"
    ])
  })

  it("has every event as a webhook, in its envelope", () => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual(eventTypes.toSorted())
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const schema = post?.requestBody?.content?.["application/json"]?.schema as Node
      expect(schema["required"], type).toEqual(["event_id", "event_type", "org_id", "created_at", "data"])
      expect(schema["properties"], type).toMatchObject({ event_type: { enum: [type] } })
    }
  })
})
