/** Texts of callers are kept, and card numbers never are: a text that looks like one is refused in any field. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option, ParseResult, Schema, type SchemaAST as AST } from "effect"
import { CreateBeneficiary } from "../../../src/contract/api/BeneficiariesApi.ts"
import { CreateEscrow } from "../../../src/contract/api/EscrowApi.ts"
import { StartKyb } from "../../../src/contract/api/KybApi.ts"
import { ChangeOrganization } from "../../../src/contract/api/OrganizationsApi.ts"
import { CreatePaymentLink } from "../../../src/contract/api/PaymentLinksApi.ts"
import { ActOnPayment, InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { InitiateRamp } from "../../../src/contract/api/RampsApi.ts"
import { GiveBack, ResolvePayment } from "../../../src/contract/api/ResolutionsApi.ts"
import { RequestVerification } from "../../../src/contract/api/VerificationApi.ts"
import { FreezeAccount, Withdraw } from "../../../src/contract/api/VirtualAccountsApi.ts"
import { TransactionData } from "../../../src/contract/api/WebhookLogApi.ts"
import { UpdateWebhook } from "../../../src/contract/api/WebhooksApi.ts"
import { parseJsonText } from "../../../src/platform/http/RequestJson.ts"
import { validationMessage } from "../../../src/domain/ValidationMessage.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { schemas } from "./DocumentedOperations.ts"

const NUMBER = "4539578763621486"
const REFUSED = "contains a possible card number"

/** Reads a body like the service, and returns its complaint. */
const wordsFor = (schema: Schema.Schema.AnyNoContext, body: string): string =>
  Either.match(ParseResult.decodeUnknownEither(schema, { errors: "all" })(Either.getOrThrow(parseJsonText(body))), {
    onLeft: validationMessage,
    onRight: () => ""
  })

const fields = [
  [
    "a payment's reference",
    InitiatePayment.pipe(Schema.pick("client_reference")),
    "client_reference",
    { client_reference: NUMBER }
  ],
  [
    "a payment's description",
    InitiatePayment.pipe(Schema.pick("description")),
    "description",
    { description: `card ${NUMBER} 12/29` }
  ],
  [
    "a payer's name",
    InitiatePayment.pipe(Schema.pick("payer_details")),
    "payer_details.name",
    { payer_details: { name: "4539 5787 6362 1486" } }
  ],
  ["metadata", InitiatePayment.pipe(Schema.pick("metadata")), "metadata", { metadata: { note: NUMBER } }],
  [
    "metadata within metadata",
    InitiatePayment.pipe(Schema.pick("metadata")),
    "metadata",
    { metadata: { a: { b: ["x", `\n${NUMBER}\n`] } } }
  ],
  [
    "a number in metadata",
    InitiatePayment.pipe(Schema.pick("metadata")),
    "metadata",
    { metadata: { a: Number(NUMBER) } }
  ],
  ["a key of metadata", InitiatePayment.pipe(Schema.pick("metadata")), "metadata", { metadata: { [NUMBER]: true } }],
  ["why it is refunded", ActOnPayment, "reason", { reason: NUMBER }],
  [
    "a ramp's reference",
    InitiateRamp.pipe(Schema.pick("client_reference")),
    "client_reference",
    { client_reference: NUMBER }
  ],
  ["a ramp's metadata", InitiateRamp.pipe(Schema.pick("metadata")), "metadata", { metadata: { note: NUMBER } }],
  ["what a link is for", CreatePaymentLink, "description", { description: NUMBER }],
  ["a link's reference", CreatePaymentLink, "client_reference", { client_reference: NUMBER }],
  ["a beneficiary's name", CreateBeneficiary, "fname", { fname: NUMBER }],
  ["an escrow's name", CreateEscrow, "name", { name: NUMBER }],
  ["what a withdrawal is for", Withdraw, "description", { description: NUMBER }],
  ["why an account is frozen", FreezeAccount, "reason", { reason: NUMBER }],
  ["why a person decided so", ResolvePayment, "reason", { reason: NUMBER }],
  ["why money goes back", GiveBack, "reason", { reason: NUMBER }],
  ["why somebody is to be verified", RequestVerification, "triggered_by", { triggered_by: NUMBER }],
  ["who is to be verified", RequestVerification.pipe(Schema.pick("sender_id")), "sender_id", { sender_id: NUMBER }],
  ["the name of an organisation", ChangeOrganization, "name", { name: NUMBER }],
  ["an e-mail address", ChangeOrganization, "email", { email: `${NUMBER}@example.com` }],
  [
    "where a payer goes back to",
    InitiatePayment.pipe(Schema.pick("return_url")),
    "return_url",
    { return_url: `https://shop.example/thanks?card=${NUMBER}` }
  ],
  ["where events go", UpdateWebhook, "endpoint_url", { endpoint_url: `https://shop.example/${NUMBER}` }],
  ["a test event", TransactionData.pipe(Schema.pick("transaction_id")), "transaction_id", { transaction_id: NUMBER }],
  [
    "where a document is",
    StartKyb,
    "documents[0].url",
    { documents: [{ type: "tax", name: "Tax", url: `https://files.example/${NUMBER}.pdf` }] }
  ],
  ["a message to them", RequestVerification.pipe(Schema.pick("message")), "message", { message: `your card ${NUMBER}` }]
] as const

const bank = { account_name: "Ada Obi", account_number: NUMBER, bank_name: "First Bank", bank_code: "011" }

const allowed = [
  [
    "an order number",
    InitiatePayment.pipe(Schema.pick("client_reference", "metadata")),
    { client_reference: `order${NUMBER}`, metadata: { order: "1763352000000009", at: 1763352000000 } }
  ],
  ["the card itself", InitiatePayment.pipe(Schema.pick("card_details")), { card_details: byCard(NUMBER).card_details }],
  [
    "an account number that looks like one",
    InitiatePayment.pipe(Schema.pick("bank_account")),
    { bank_account: { ...bank, name: "Ada Obi" } }
  ],
  ["that of a beneficiary", CreateBeneficiary.pipe(Schema.pick("bank_details")), { bank_details: bank }]
] as const

/** Fields that may hold it: it is not stored there, or other numbers look like it. */
const mayHold = new Set([
  "account_number",
  "accountNumber",
  "card_number",
  // Accepted and ignored.
  "user_id",
  "org_id",
  // Only looked up.
  "account_id",
  "beneficiary_id",
  "from_account_id",
  "org_rate_id",
  "party_id",
  "to_account_id",
  "virtual_account_id",
  // Checked against the numbering plan of the country.
  "phone_number",
  // Answered, and not stored.
  "sortCode",
  // Sent to the provider alone.
  "otp",
  // Callback that a vendor signs. The number is hidden in `reason`.
  "POST /organizations/webhook/kyb.customer_id",
  "POST /organizations/webhook/kyb.event_id",
  "POST /organizations/webhook/kyb.reason",
  // A provider's credentials, by names of its own.
  "[name]"
])

const takes = (ast: AST.AST): boolean =>
  Either.isRight(ParseResult.decodeUnknownEither(Schema.make<unknown, unknown, never>(ast))(NUMBER))

/** Texts of a body that take the number. */
const openFields = (ast: AST.AST, path: string): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return [
        ...ast.propertySignatures.flatMap(({ name, type }) => openFields(type, `${path}.${String(name)}`)),
        ...ast.indexSignatures.flatMap(({ type }) => openFields(type, `${path}.[name]`))
      ]
    case "TupleType":
      return ast.rest.flatMap(({ type }) => openFields(type, path))
    case "Union":
      return ast.types.flatMap((type) => openFields(type, path))
    case "Suspend":
      return openFields(ast.f(), path)
    default: {
      if (takes(ast)) return [path]
      const inner = ast._tag === "Transformation" || ast._tag === "Refinement" ? ast.from : undefined
      return inner === undefined || takes(inner) ? [] : openFields(inner, path)
    }
  }
}

describe("The number of a card", () => {
  it("is refused in every text of every body, except where it is not kept", () => {
    const open = Array.from(schemas).flatMap(([operation, { payload }]) =>
      Option.match(payload, { onNone: () => [], onSome: ({ ast }) => openFields(ast, operation) })
    )
    expect(open.filter((path) => !mayHold.has(path) && !mayHold.has(path.split(".").at(-1)!))).toEqual([])
    expect(open).toContain("POST /payments-init/initiate.card_details.card_number")
  })

  it.each(fields)("is refused as %s, and not repeated", (_, schema, field, body) => {
    const words = wordsFor(schema, JSON.stringify(body))
    expect(words).toContain(`${field}: ${REFUSED}`)
    expect(words).not.toContain(NUMBER)
  })

  it.each([
    ["with too many keys", Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, NUMBER])), "50 keys"],
    ["that is too large", { note: NUMBER, rest: "x".repeat(16 * 1024) }, "16 KiB"]
  ])("is not searched for in metadata %s", (_, metadata, why) => {
    const words = wordsFor(InitiatePayment.pipe(Schema.pick("metadata")), JSON.stringify({ metadata }))
    expect(words).toContain(why)
    expect(words).not.toContain(REFUSED)
  })

  it.each(allowed)("is not seen in %s", (_, schema, body) => {
    expect(wordsFor(schema, JSON.stringify(body))).toBe("")
  })
})
