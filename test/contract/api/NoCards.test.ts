/** What callers write of their own is kept, and a card never is: what looks like its number is refused wherever it stands. */
import { describe, expect, it } from "@effect/vitest"
import { Either, ParseResult, Schema } from "effect"
import { CreateBeneficiary } from "../../../src/contract/api/BeneficiariesApi.ts"
import { CreateEscrow } from "../../../src/contract/api/EscrowApi.ts"
import { CreatePaymentLink } from "../../../src/contract/api/PaymentLinksApi.ts"
import { ActOnPayment, InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import { InitiateRamp } from "../../../src/contract/api/RampsApi.ts"
import { GiveBack, ResolvePayment } from "../../../src/contract/api/ResolutionsApi.ts"
import { RequestVerification } from "../../../src/contract/api/VerificationApi.ts"
import { FreezeAccount, Withdraw } from "../../../src/contract/api/VirtualAccountsApi.ts"
import { parseJsonText } from "../../../src/platform/http/RequestJson.ts"
import { validationMessage } from "../../../src/domain/ValidationMessage.ts"
import { byCard } from "../../payments/support/Requests.ts"

const NUMBER = "4539578763621486"
const REFUSED = "contains a possible card number"

/** As the service reads a body and says what is wrong with it. */
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

describe("The number of a card", () => {
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
