/** What the fake of MTN takes and refuses: its headers and bodies, and its ways of saying no. */
import { Either, Option, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { FakeReply, FakeRequest } from "../fakes/Fake.ts"
import { moneyOfMajor } from "../port/WireValues.ts"
import { currencyOf } from "./MtnMomoCorridors.ts"
import { urlOf } from "../../domain/UrlOf.ts"

export const refused = (status: number, code: string, message: string): FakeReply => ({
  status,
  body: { code, message }
})

export const gateway = (status: number, message: string): FakeReply => ({
  status,
  body: { statusCode: status, message }
})

const Amount = Schema.String.pipe(Schema.pattern(/^\d+(\.\d+)?$/))
const text = Schema.optional(Schema.String.pipe(Schema.maxLength(160)))

const Party = Schema.Struct({
  partyIdType: Schema.Literal("MSISDN"),
  partyId: Schema.String.pipe(Schema.pattern(/^[1-9]\d{6,14}$/))
})

const common = {
  amount: Amount,
  currency: Schema.String.pipe(Schema.pattern(/^[A-Z]{3}$/)),
  externalId: Schema.NonEmptyString,
  payerMessage: text,
  payeeNote: text
}

export const RequestToPay = Schema.Struct({ ...common, payer: Party })
export const Transfer = Schema.Struct({ ...common, payee: Party })
export const Refund = Schema.Struct({ ...common, referenceIdToRefund: Schema.UUID })

/** As it is written: MTN takes amounts as text alone, so that a number must not pass for one. */
const parsed = (body: string): Either.Either<unknown, string> =>
  Either.try({ try: () => JSON.parse(body) as unknown, catch: () => "the body is not JSON" })

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const moneyIn = ({ body }: FakeRequest): Money | undefined =>
  Either.getRight(parsed(body)).pipe(
    Option.flatMap(Schema.decodeUnknownOption(Schema.Struct({ amount: Amount, currency: Schema.String }))),
    Option.flatMap(({ amount, currency }) => moneyOfMajor(amount, currency)),
    Option.getOrUndefined
  )

export interface Taken<A> {
  readonly reference: string
  readonly body: A
  readonly money: Money
}

/** The order that a request holds, or what MTN says of one that is wrong. */
export const readOrder = <A extends { readonly amount: string; readonly currency: string }>(
  schema: Schema.Schema<A>,
  { body, headers }: FakeRequest
): Either.Either<Taken<A>, FakeReply> => {
  const reference = headers["x-reference-id"] ?? ""
  if (!uuid4.test(reference)) return Either.left(gateway(400, "X-Reference-Id is not a UUID of version 4"))
  const callback = headers["x-callback-url"]
  if (callback !== undefined && urlOf(callback) === undefined) {
    return Either.left(refused(400, "INVALID_CALLBACK_URL_HOST", "Callback URL is not valid."))
  }
  const decoded = Either.flatMap(parsed(body), (json) => Schema.decodeUnknownEither(schema)(json))
  if (Either.isLeft(decoded)) return Either.left(gateway(400, String(decoded.left)))
  const { amount, currency } = decoded.right
  if (currency !== currencyOf(headers["x-target-environment"] ?? "")) {
    return Either.left(refused(500, "INVALID_CURRENCY", "Currency not supported."))
  }
  return Option.match(moneyOfMajor(amount, currency), {
    onNone: () => Either.left(gateway(400, "the amount is none of that currency")),
    onSome: (money) => Either.right({ reference, body: decoded.right, money })
  })
}
