/** The port behind which every provider stands, built-in rail or third party. None of its effects fails: an outcome says it all. */
import { Context, Data, type Effect, Layer, type Redacted } from "effect"
import type { OrgId, PaymentId } from "../../domain/Identifiers.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import type { CountryCode } from "../../domain/Country.ts"
import type { Flow, PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import type { Money } from "../../domain/Money.ts"
import type { Enquiry, Outcome, Report } from "../../domain/Outcome.ts"

/** The whole card: it lives only as long as the request that carries it. */
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
  readonly phoneNumber: string
}

/** Whom a payout reaches. */
export interface Recipient {
  readonly name: string
  /** Of the PayPal account that is paid, where it is one; else how the recipient is reached. */
  readonly email: string | null
  readonly phone: string | null
}

export interface PaymentOrder {
  /** Ours, chosen and committed before the call; the same with every retry of this attempt. */
  readonly reference: string
  readonly paymentId: PaymentId
  readonly orgId: OrgId
  readonly flow: Flow
  readonly method: PaymentMethod
  readonly country: CountryCode
  /** What the provider collects or pays, in its own currency. */
  readonly money: Money
  readonly description: string | null
  readonly payer: { readonly name: string; readonly email: string; readonly phone: string } | null
  /** The payer's side of a payin, the recipient's side of a payout. */
  readonly mobileMoney: MobileMoney | null
  readonly bank: BankAccount | null
  readonly card: Redacted.Redacted<Card> | null
  readonly walletAddress: { readonly address: string; readonly network: string } | null
  readonly recipient: Recipient | null
  /** The hosted page for a customer who must be redirected by us. */
  readonly checkoutUrl: string
}

/** What identifies an attempt when we ask about it. */
export interface AttemptRef {
  readonly reference: string
  readonly providerPaymentId: string | null
}

/** Money back for a payment that the provider took. */
export interface RefundOrder {
  /** The attempt that the provider took. */
  readonly attempt: AttemptRef
  /** Ours, of the refund itself, committed before the call; the same with every retry. */
  readonly reference: string
  /** The payment as the provider took it was in the same currency. */
  readonly money: Money
}

export interface OneTimePasswords {
  readonly submit: (
    attempt: AttemptRef,
    otp: string
  ) => Effect.Effect<"accepted" | "wrong" | "not_expected" | "unknown">
  /** Whether it was in a state for it. */
  readonly resend: (attempt: AttemptRef) => Effect.Effect<boolean>
}

export interface CallbackRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

export interface CallbackEvent {
  /** Unique for the provider: its own event id, or a digest of the body. */
  readonly key: string
  readonly attempt: { readonly reference: string | null; readonly providerPaymentId: string | null }
  /** Nothing when the callback is only a hint, which proves nothing: then the provider is asked, in its turn. */
  readonly report: Report | null
}

/** The callback does not carry the provider's proof. */
export class NoProof extends Data.TaggedError("NoProof")<{ readonly message: string }> {}

export interface Provider {
  readonly name: ProviderName
  /** Sending one reference twice moves money once: a lost answer may be asked for again. */
  readonly honoursReference: boolean
  /** That it has no trace of a reference, well after the call, proves that it never had it. */
  readonly provesAbsence: boolean
  readonly supports: (currency: AnyCurrencyCode, method: PaymentMethod, flow: Flow) => boolean
  readonly initiate: (order: PaymentOrder) => Effect.Effect<Outcome>
  readonly enquire: (attempt: AttemptRef) => Effect.Effect<Enquiry>
  readonly callback: (request: CallbackRequest) => Effect.Effect<CallbackEvent, NoProof>
  /** What a provider leaves out of these it cannot do. */
  readonly otp?: OneTimePasswords
  /** `canceled` is certain: what is confirmed never completes. */
  readonly cancel?: (attempt: AttemptRef) => Effect.Effect<"canceled" | "refused" | "unknown">
  readonly refund?: (order: RefundOrder) => Effect.Effect<Outcome>
}

/** The providers that are switched on: those with credentials, and in sandbox mode the built-in rails. */
export class Providers extends Context.Tag("corridor/Providers")<
  Providers,
  { readonly find: (name: ProviderName) => Provider | undefined }
>() {
  static readonly fromList = (providers: ReadonlyArray<Provider>): Context.Tag.Service<Providers> => {
    const byName = new Map(providers.map((provider) => [provider.name, provider]))
    return { find: (name) => byName.get(name) }
  }

  static readonly layerOf = (providers: ReadonlyArray<Provider>) =>
    Layer.succeed(Providers, Providers.fromList(providers))
}
