/** Callbacks of providers: verified reports, whose proof is bound to the account, and hints. */
import { timingSafeEqual, verify } from "node:crypto"
import { Data, Either, type Option } from "effect"
import type { Report } from "../../domain/Outcome.ts"
import type { IncomingTransfer } from "./AccountIssuer.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { readJson } from "../client/WireValues.ts"

export interface CallbackRequest {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** The host, and the port where it is not the usual one, that was called. */
  readonly authority: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** The callback does not carry the provider's proof. */
export class NoProof extends Data.TaggedError("NoProof")<{ readonly message: string }> {}

/** `setting`: the name of the secret that is missing. */
export const secretNotSet = (setting: string): NoProof =>
  new NoProof({ message: `${setting} is not set, so no callback can be verified` })

export const jsonOfBody = ({ body }: Pick<CallbackRequest, "body">): Option.Option<unknown> =>
  Either.getRight(readJson(body.toString("utf8")))

/** Verification or look-up failed temporarily: the provider has to send the callback again. */
export class NotNow extends Data.TaggedError("NotNow")<{
  readonly message: string
  /** Where it was proved, and only its subject could not be looked up. */
  readonly proof?: Proof
}> {}

/** Compares secrets and signatures in constant time. */
export const isSame = (expected: string | Buffer, given: string | Buffer | undefined): boolean => {
  const [a, b] = [Buffer.from(expected), Buffer.from(given ?? "")]
  return a.length > 0 && a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Whom a check identifies. `account`: a secret that only this account and the vendor know. `vendor`: a key by which the
 * vendor signs for all of its customers, so that any of them can have a callback signed.
 */
type Binding = "account" | "vendor"

/** Result of comparing a secret or a signature with what was expected. A condition can make it fail, and none make it hold. */
export class Check<To extends Binding = Binding> {
  protected readonly holds: boolean
  /** Read by the compiler alone. */
  protected readonly boundTo?: To

  private constructor(holds: boolean) {
    this.holds = holds
  }

  static readonly failed = new Check<never>(false)

  /** Compares what was computed with the account's own secret. */
  static same(expected: string | Buffer, given: string | Buffer | undefined): Check<"account"> {
    return new Check(isSame(expected, given))
  }

  /** Verifies with a public key of the vendor, by node:crypto. */
  static signed(hash: string, ...[data, key, signature]: SignatureParts): Check<"vendor"> {
    return new Check(verify(hash, data, key, signature))
  }

  /** Compares the vendor's answer to the question whether it sent the callback. */
  static confirmed(expected: string, answer: string): Check<"vendor"> {
    return new Check(isSame(expected, answer))
  }

  static any<To extends Binding>(checks: ReadonlyArray<Check<To>>): Check<To> {
    return new Check(checks.some(({ holds }) => holds))
  }

  /** Joins checks; passes when there are none. */
  static every<To extends Binding>(checks: ReadonlyArray<Check<To>>): Check<To> {
    return new Check(checks.length > 0 && checks.every(({ holds }) => holds))
  }

  /** Only where this is so as well. */
  where(condition: boolean): Check<To> {
    return condition ? this : Check.failed
  }

  static holds({ holds }: Check): boolean {
    return holds
  }
}

type SignatureParts = [data: Buffer, key: Parameters<typeof verify>[2], signature: Buffer]

/** Evidence of the sender, from a check that holds or from an answer to the account's own credentials. */
export class Proof<To extends Binding = Binding> {
  protected readonly isChecked = true
  /** Read by the compiler alone. */
  protected readonly boundTo?: To

  private constructor() {}

  static from<To extends Binding>(check: Check<To>, otherwise: string): Either.Either<Proof<To>, NoProof> {
    return Check.holds(check) ? Either.right(new Proof()) : Either.left(new NoProof({ message: otherwise }))
  }

  /** Taken from a look-up that the account's own credentials were accepted for. */
  static lookedUp({ status }: Pick<ProviderReply, "status">): Either.Either<Proof<"account">, NoProof> {
    return status === 200 ? Either.right(new Proof()) : Either.left(new NoProof({ message: `HTTP ${status}` }))
  }
}

/** Names an attempt by either id. A callback that matches none is kept until one does. */
export interface Named {
  readonly reference: string | null
  readonly providerPaymentId: string | null
  /** Needed where payers can choose a reference: what one of them pays must not pass for a payout or a refund of ours. */
  readonly about?: "payin" | "payout" | "refund"
}

/**
 * Report that is applied as it stands. Needs a proof bound to the account. A proof by a vendor's shared key makes a
 * `Hint`: the account's own credentials ask.
 */
export class VerifiedReport extends Data.TaggedClass("VerifiedReport")<{
  /** Unique for the provider: its own event id, or a digest of the body. */
  readonly key: string
  readonly attempt: Named
  readonly report: Report
  readonly proof: Proof<"account">
}> {}

/** Reversal that a callback reports and the provider does not show to the account: an operator looks it up. */
export interface UnverifiedReversal {
  /** Unique for the provider, such as its id of the dispute. */
  readonly key: string
  /** Text for the operator, with the id to look up at the provider. */
  readonly detail: string
  readonly proof: Proof
}

/** Triggers an enquiry about the attempt. The id is only looked up, never trusted. */
export class Hint extends Data.TaggedClass("Hint")<{
  readonly attempt: Named
  readonly unverified?: UnverifiedReversal
}> {}

export type CallbackEvent = VerifiedReport | Hint

/** A transfer in a callback, proved by a secret of the account. */
export interface ProvedTransfer extends IncomingTransfer {
  readonly proof: Proof<"account">
}

export interface Callback {
  /** Events; none if the callback is about nothing of ours, such as a test of the address. */
  readonly events: ReadonlyArray<CallbackEvent>
  /** Transfers to virtual accounts, which belong to no attempt. */
  readonly transfers?: ReadonlyArray<ProvedTransfer>
  /** Transfers may have arrived that the callback cannot prove: they are listed soon. */
  readonly listTransfers?: true
  /** The callback carries neither signature nor secret. */
  readonly isUnsigned?: true
  /** Answer to the callback, where the provider expects a special one. */
  readonly reply?: { readonly status: number; readonly contentType: string; readonly body: string }
}
