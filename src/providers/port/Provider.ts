/** The provider port, implemented by built-in providers and third parties. Its effects never fail; outcomes carry failures. */
import { Context, type Duration, Effect, type Either, Layer, type Redacted } from "effect"
import type { ConfigId, OrgId, PaymentId } from "../../domain/Ids.ts"
import type { CountryCode } from "../../domain/Country.ts"
import type { Flow, PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import type { Money } from "../../domain/Money.ts"
import type { Enquiry, Outcome } from "../../domain/Outcome.ts"
import type { SupportQuestion } from "../../domain/Routing.ts"
import type { AccountIssuer } from "./AccountIssuer.ts"
import type { Callback, CallbackRequest, NoProof, NotNow } from "./Callback.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** Card data; kept only for the request that carries it. */
export interface Card {
  readonly number: string
  readonly expiryMonth: string
  readonly expiryYear: string
  readonly cvv: string | null
  readonly holder: string | null
}

export interface BankAccount {
  readonly accountName: string | null
  readonly accountNumber: string
  readonly bankCode: string | null
  readonly bankName: string | null
  readonly country: string | null
}

export interface MobileMoney {
  /** The network's code, such as `mpesa`. */
  readonly network: string
  /** With its country code, such as +254712345678. */
  readonly phoneNumber: string
}

/** Whom a payout reaches. */
export interface Recipient {
  readonly name: string
  /** Of the PayPal account that is paid, where it is one; else how the recipient is reached. */
  readonly email: string | null
  readonly phone: string | null
}

/** Sender of a payout: the organisation whose payment it is. */
export interface Sender {
  readonly name: string
  readonly country: string
}

/** The payer's browser, from its request or from the caller. Null: unknown. */
export interface Browser {
  readonly ip: string | null
  readonly userAgent: string
  readonly acceptHeader: string
  readonly language: string
  /** Null without JavaScript. */
  readonly screen: {
    readonly width: number
    readonly height: number
    readonly colorDepth: number
    /** Minutes between UTC and the browser's time. */
    readonly timeZoneOffset: number
    readonly javaEnabled: boolean
  } | null
}

export interface PaymentOrder {
  /** Ours, chosen and committed before the call; the same with every retry of this attempt. */
  readonly reference: string
  readonly paymentId: PaymentId
  readonly orgId: OrgId
  readonly flow: Flow
  readonly method: PaymentMethod
  readonly country: CountryCode
  /** Amount that the provider collects or pays, in its own currency. */
  readonly money: Money
  readonly description: string | null
  readonly payer: { readonly name: string; readonly email: string | null; readonly phone: string } | null
  /** The payer's side of a payin, the recipient's side of a payout. */
  readonly mobileMoney: MobileMoney | null
  readonly bank: BankAccount | null
  /** Null: the payer enters the card on the provider's own page. */
  readonly card: Redacted.Redacted<Card> | null
  readonly walletAddress: { readonly address: string; readonly network: string } | null
  readonly recipient: Recipient | null
  /** Of a payout; null where the organisation is not known any more. */
  readonly sender: Sender | null
  /** Of the payer who entered the card; null where unknown. */
  readonly browser: Browser | null
  /** The hosted page for a customer who must be redirected by us. */
  readonly checkoutUrl: string
  /** Where a provider sends the customer back to, who then comes to `resume`. */
  readonly returnUrl: string
  /** When the payer's time to pay ends, where that is known: a page may close by itself then. */
  readonly expiresAt: Date | null
}

/** An attempt as adapters need it for look-ups, cancellations and refunds. */
export interface AttemptContext {
  readonly reference: string
  readonly providerPaymentId: string | null
  /**
   * Ids that unproved or vendor-signed callbacks named for it while its own is unknown, newest first. An adapter looks them
   * up with the account's credentials and believes one only if the object carries our reference.
   */
  readonly hintedIds: ReadonlyArray<string>
  readonly leg: "payment" | "collection" | "settlement" | "refund" | "return"
  /** Of the payment that it belongs to; money on its way back flows the other way. */
  readonly flow: Flow
  readonly method: PaymentMethod
  readonly country: CountryCode
  /** The mobile network or the chain, where the method has one. */
  readonly network: string | null
  /** Amount of the order. */
  readonly money: Money
  readonly sentAt: Date
  readonly orgId: OrgId
  readonly configId: ConfigId | null
  /** The payment still waits for it: what must be finished by us is finished only then. */
  readonly isWanted: boolean
  /** Of money on its way back: the attempt that had brought it. */
  readonly broughtBy: AttemptContext | null
}

/** The way that the money of an attempt goes. */
export const attemptKind = ({ flow, leg }: Pick<AttemptContext, "flow" | "leg">): "payin" | "payout" | "refund" => {
  if (leg === "refund" || leg === "return") return "refund"
  return leg === "settlement" || (leg === "payment" && flow === "outbound") ? "payout" : "payin"
}

/** Money back for a payment that the provider took. */
export interface RefundOrder {
  /** The attempt that the provider took, with its whole amount. */
  readonly attempt: AttemptContext
  /** Ours, of the refund itself, committed before the call; the same with every retry. */
  readonly reference: string
  /** The provider's id of the collection that is given back, where the attempt has several; null: the attempt's own. */
  readonly collectionId: string | null
  /** The payment as the provider took it was in the same currency. */
  readonly money: Money
  readonly reason: string | null
}

export interface OneTimePasswords {
  readonly submit: (
    attempt: AttemptContext,
    otp: string
  ) => Effect.Effect<"accepted" | "wrong" | "not_expected" | "unknown">
  /** Sends the password again; false if the payment is not in a state for it. */
  readonly resend: (attempt: AttemptContext) => Effect.Effect<boolean>
}

/**
 * Answer to a cancellation. `canceled`: the payment never completes. `asked`: the provider accepted the request, and its
 * callback brings the result.
 */
export type CancelAnswer = "canceled" | "asked" | "refused" | "unknown"

/** Whence the secret of the callbacks is known before they are registered. */
export type KnownSecret = "setting" | "stored" | "none"

/** The callback address is registered at the provider. */
export interface RegisteredCallbacks {
  readonly message: string
  /** Whether anything was made or changed there. */
  readonly changed: boolean
  /** Credentials that the provider gave for it, such as the signing secret; none where they are known. */
  readonly credentials: Readonly<Record<string, Redacted.Redacted>>
}

/** Facts that a provider tells about an account. Absent: its API does not tell them, or not to these credentials. */
export interface AccountFacts {
  readonly name?: string
  /** Mode by an answer; the mode that keys and addresses show is known without one. */
  readonly mode?: "test" | "live"
  /** Amounts with their currency. */
  readonly balances?: ReadonlyArray<string>
  /** Rights of the account or its key, in the provider's words. */
  readonly rights?: ReadonlyArray<string>
  /** Remark for an operator. */
  readonly note?: string
}

/** A promise that holds always, never, or for a time. */
export type Promised = boolean | Duration.Duration

export interface Provider {
  readonly name: ProviderName
  /** Sending one reference twice moves money once: a lost answer may be asked for again. A time: for so long after it was sent. */
  readonly honoursReference: Promised
  /** The same for what it gives back, where that is another promise. */
  readonly refundsHonourReference?: Promised
  /** A reference that it does not know never arrived. A time: only so long after the sending. */
  readonly provesAbsence: Promised
  /** Whether orders may carry card numbers. Otherwise the payer enters the card on the provider's own page. */
  readonly takesCardNumbers?: boolean
  /** Declines payins without the payer's e-mail address. */
  readonly needsPayerEmail?: boolean
  /** Whether the provider later replaces this id by another one. Absent: never. */
  readonly givesUpId?: (providerPaymentId: string) => boolean
  /** From when on it is certainly this account that is reached. Of what was sent before, neither promise holds. */
  readonly since?: Date
  /** The reason is shown in the explanation of the routing. */
  readonly supports: (question: SupportQuestion) => Either.Either<void, string>
  /** Digits behind the point that it takes in this corridor, where these are fewer than those of the currency. */
  readonly digits?: (question: SupportQuestion) => number | undefined
  readonly initiate: (order: PaymentOrder) => Effect.Effect<Outcome>
  readonly enquire: (attempt: AttemptContext) => Effect.Effect<Enquiry>
  readonly callback: (request: CallbackRequest) => Effect.Effect<Callback, NoProof | NotNow>
  /** Optional operations; absent where the provider has none. */
  readonly otp?: OneTimePasswords
  readonly cancel?: (attempt: AttemptContext) => Effect.Effect<CancelAnswer>
  readonly refund?: (order: RefundOrder) => Effect.Effect<Outcome>
  /** Called when the customer returns from the provider, with the query of the address; repeatable. */
  readonly resume?: (attempt: AttemptContext, query: Readonly<Record<string, string>>) => Effect.Effect<Enquiry>
  /**
   * Registers the callback address, where the provider has a call for it; left: why it is not registered. Repeatable. A dry
   * run only reads there, and tells what would be done.
   */
  readonly register?: (
    known: KnownSecret,
    dryRun?: boolean
  ) => Effect.Effect<Either.Either<RegisteredCallbacks, string>>
  /** Issues bank details or addresses for virtual accounts. */
  readonly accounts?: AccountIssuer
  /** Tests the credentials with calls that move nothing; left: why they failed. */
  readonly test?: Effect.Effect<Either.Either<AccountFacts, string>>
}

/** The providers that are switched on: those with credentials, and in sandbox mode the simulators. */
export class Providers extends Context.Tag("corridor/Providers")<
  Providers,
  {
    /** Through one of its accounts: the one that the configuration of this id brings, or for null the platform's. */
    readonly find: (name: ProviderName, account: ConfigId | null) => Stored<Provider | undefined>
  }
>() {
  static readonly fromList = (providers: ReadonlyArray<Provider>): Context.Tag.Service<Providers> => {
    const byName = new Map(providers.map((provider) => [provider.name, Effect.succeed(provider)]))
    return { find: (name) => byName.get(name) ?? Effect.succeed(undefined) }
  }

  static readonly layerOf = (providers: ReadonlyArray<Provider>) =>
    Layer.succeed(Providers, Providers.fromList(providers))
}
