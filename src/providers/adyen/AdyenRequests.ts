/** Request bodies and paths of Adyen. */
import { Either, Redacted } from "effect"
import { stringify } from "lossless-json"
import { sha256Hex } from "../../domain/Digest.ts"
import type { Declined } from "../../domain/Outcome.ts"
import { urlOf } from "../../domain/Url.ts"
import { withQuery } from "../client/ProviderHttp.ts"
import type { AttemptContext, Card, PaymentOrder, RefundOrder } from "../port/Provider.ts"
import { amountOf, identificationOf } from "./AdyenCorridors.ts"
import { invalidOrder } from "../client/ProviderReplies.ts"

export type Body = Readonly<Record<string, unknown>>

const LONGEST_LINK_DESCRIPTION = 280
const LONGEST_TRANSFER_DESCRIPTION = 140
const LONGEST_EMAIL = 254
const LONGEST_ORIGIN = 80

/** Amounts are whole numbers of any size. */
export const jsonText = (body: Body): string => stringify(body) ?? ""

/**
 * Suffixes of references. The signature of a callback covers only the reference, so the reference also tells the kind.
 * A link outlives a refused card, and a refund is not its payment.
 */
const LINK = "-link"
const REFUND = "-refund"

export const linkReference = (reference: string): string => `${reference}${LINK}`
export const refundReference = (reference: string): string => `${reference}${REFUND}`

export interface Named {
  readonly kind: "payment" | "link" | "refund"
  readonly reference: string
}

export const namedBy = (merchantReference: string): Named => {
  const without = (suffix: string) => merchantReference.slice(0, -suffix.length)
  if (merchantReference.endsWith(LINK)) return { kind: "link", reference: without(LINK) }
  if (merchantReference.endsWith(REFUND)) return { kind: "refund", reference: without(REFUND) }
  return { kind: "payment", reference: merchantReference }
}

/** A payment's number may begin as the ids of links do, which are longer. */
const PAYMENT_ID_LENGTH = 16

export const isLinkId = (id: string): boolean => id.startsWith("PL") && id.length !== PAYMENT_ID_LENGTH

const shopper = ({ country, payer }: PaymentOrder): Body => ({
  countryCode: country,
  ...(payer === null || payer.email === null || payer.email.length > LONGEST_EMAIL ? {} : { shopperEmail: payer.email })
})

export const linkBody = (order: PaymentOrder, merchantAccount: string): Either.Either<Body, Declined> =>
  Either.map(amountOf(order.money), (amount) => ({
    amount,
    merchantAccount,
    reference: linkReference(order.reference),
    returnUrl: order.returnUrl,
    allowedPaymentMethods: ["scheme"],
    ...(order.expiresAt === null ? {} : { expiresAt: order.expiresAt.toISOString() }),
    ...(order.description === null ? {} : { description: order.description.slice(0, LONGEST_LINK_DESCRIPTION) }),
    ...shopper(order)
  }))

export const linkPath = (id: string): string => `/paymentLinks/${encodeURIComponent(id)}`

const wholeYear = (year: string): string => (year.length === 2 ? `20${year}` : year)

const scheme = ({ cvv, expiryMonth, expiryYear, holder, number }: Card): Body => ({
  type: "scheme",
  number,
  expiryMonth,
  expiryYear: wholeYear(expiryYear),
  ...(cvv === null ? {} : { cvc: cvv }),
  ...(holder === null ? {} : { holderName: holder })
})

/** Adyen's minimum for a browser whose screen is unknown. */
const NO_SCREEN = { width: 0, height: 0, colorDepth: 24, timeZoneOffset: 0, javaEnabled: false }

/** For 3D Secure, and for its own look at risks. Without scripts a page cannot tell of the screen. */
const browserOf = ({ browser, returnUrl }: PaymentOrder): Body => {
  const origin = urlOf(returnUrl)?.origin
  const page = origin === undefined || origin.length > LONGEST_ORIGIN ? {} : { origin }
  if (browser === null) return page
  const { acceptHeader, ip, language, screen, userAgent } = browser
  const { colorDepth, height, javaEnabled, timeZoneOffset, width } = screen ?? NO_SCREEN
  return {
    ...page,
    ...(ip === null ? {} : { shopperIP: ip }),
    browserInfo: {
      acceptHeader,
      colorDepth,
      javaEnabled,
      javaScriptEnabled: screen !== null,
      language,
      screenHeight: height,
      screenWidth: width,
      timeZoneOffset,
      userAgent
    }
  }
}

export const paymentBody = (
  order: PaymentOrder,
  card: Redacted.Redacted<Card>,
  merchantAccount: string
): Either.Either<Body, Declined> =>
  Either.map(amountOf(order.money), (amount) => ({
    amount,
    merchantAccount,
    reference: order.reference,
    returnUrl: order.returnUrl,
    paymentMethod: scheme(Redacted.value(card)),
    channel: "Web",
    shopperInteraction: "Ecommerce",
    // An address is all that can be handed on, so that no page may need a form.
    redirectToIssuerMethod: "GET",
    redirectFromIssuerMethod: "GET",
    ...browserOf(order),
    ...shopper(order)
  }))

/** Idempotency key of one redirect result, so that a reload does not submit it twice. */
export const detailsKey = ({ reference }: AttemptContext, redirectResult: string): string =>
  sha256Hex(`${reference} ${redirectResult}`)

export const refundBody = ({ money, reference }: RefundOrder, merchantAccount: string): Either.Either<Body, Declined> =>
  Either.map(amountOf(money), (amount) => ({ amount, merchantAccount, reference: refundReference(reference) }))

/** Text in the characters that all banks accept. */
const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9/?:().,'+ -]/g, " ").trim()

export const transferBody = (order: PaymentOrder, balanceAccountId: string): Either.Either<Body, Declined> =>
  Either.gen(function* () {
    const { bank, country, description, money, recipient, reference } = order
    const fullName = bank?.accountName ?? recipient?.name
    if (bank === null || fullName === undefined) {
      return yield* Either.left(invalidOrder("Adyen needs the account and the name of its holder"))
    }
    const said = plain(description ?? "").slice(0, LONGEST_TRANSFER_DESCRIPTION)
    return {
      amount: yield* amountOf(money),
      balanceAccountId,
      category: "bank",
      counterparty: {
        bankAccount: {
          accountHolder: { fullName },
          accountIdentification: yield* identificationOf(bank, country)
        }
      },
      priority: "regular",
      reference,
      ...(said === "" ? {} : { description: said })
    }
  })

const DAY_MILLIS = 86_400_000

/** Transfers of a period; Adyen asks for both ends of it. */
export const transfersNamed = (
  { reference, sentAt }: AttemptContext,
  balanceAccountId: string,
  balancePlatform: string | undefined
): string => {
  const at = (days: number) => new Date(sentAt.getTime() + days * DAY_MILLIS).toISOString()
  const time = { createdSince: at(-1), createdUntil: at(2) }
  return withQuery("/transfers", { balanceAccountId, balancePlatform, reference, ...time })
}
