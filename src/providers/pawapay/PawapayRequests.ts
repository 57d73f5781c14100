/** Request bodies of pawaPay. */
import { Either, Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import { type Declined } from "../../domain/Outcome.ts"
import { type AttemptContext, attemptKind, type PaymentOrder, type RefundOrder } from "../port/Provider.ts"
import { minorText, shortText } from "../client/WireValues.ts"
import { type Correspondent, findCorrespondent } from "./PawapayCorridors.ts"
import { notSupported } from "../client/ProviderReplies.ts"

/** The three things that pawaPay knows, each with its own address and its own name for the id. */
export const kinds = {
  deposit: { path: "/deposits", id: "depositId", moves: "collection" },
  payout: { path: "/payouts", id: "payoutId", moves: "disbursement" },
  refund: { path: "/refunds", id: "refundId", moves: "refund" }
} as const

export type Kind = keyof typeof kinds

const kindOf = { payin: "deposit", payout: "payout", refund: "refund" } as const

export const kindOfAttempt = (attempt: AttemptContext): Kind => kindOf[attemptKind(attempt)]

export const statementOf = (description: string | null, otherwise: string): string => {
  const plain = (description ?? "")
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .replace(/[^a-zA-Z0-9]+/g, " ")
    .trim()
    .slice(0, 22)
    .trim()
  return plain.length < 4 ? otherwise : plain
}

const amountFor = (money: Money, { code }: Correspondent, digits: number): Either.Either<string, Declined> =>
  Option.isSome(minorText(money, Math.min(digits, money.exponent)))
    ? Either.right(shortText(money))
    : Either.left(notSupported(`${code} takes ${digits} digits behind the point, and ${money.toString()} has more`))

export interface Creation {
  readonly kind: Kind
  readonly body: Readonly<Record<string, unknown>>
}

export const creationOf = (order: PaymentOrder, now: Date): Either.Either<Creation, Declined> =>
  Either.gen(function* () {
    const { country, description, flow, mobileMoney, money, paymentId, reference } = order
    const isPayout = flow === "outbound"
    if (mobileMoney === null) return yield* Either.left(notSupported("pawaPay moves mobile money alone"))
    const correspondent = yield* Either.fromOption(findCorrespondent(country, mobileMoney.network), () =>
      notSupported(`pawaPay does not reach ${mobileMoney.network} in ${country}`)
    )
    const amount = yield* amountFor(money, correspondent, isPayout ? correspondent.digitsOut : correspondent.digitsIn)
    const person = { type: "MSISDN", address: { value: mobileMoney.phoneNumber.replace(/\D/g, "") } }
    const kind: Kind = isPayout ? "payout" : "deposit"
    const body = {
      [kinds[kind].id]: reference,
      amount,
      currency: money.currency,
      country: correspondent.alpha3,
      correspondent: correspondent.code,
      [isPayout ? "recipient" : "payer"]: person,
      customerTimestamp: now.toISOString(),
      statementDescription: statementOf(description, isPayout ? "Payout" : "Payment"),
      metadata: [{ fieldName: "paymentId", fieldValue: paymentId }]
    }
    return { kind, body }
  })

/** A refund goes out as a payout does, to the one who paid. */
export const refundOf = ({ attempt, collectionId, money, reference }: RefundOrder): Either.Either<Creation, Declined> =>
  Either.map(
    Option.match(findCorrespondent(attempt.country, attempt.network ?? ""), {
      onNone: () => Either.right(shortText(money)),
      onSome: (correspondent) => amountFor(money, correspondent, correspondent.digitsOut)
    }),
    (amount): Creation => ({
      kind: "refund",
      body: { refundId: reference, depositId: collectionId ?? attempt.reference, amount }
    })
  )
