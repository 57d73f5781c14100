/** What a provider calls back with, and what lets it speak: only a proof makes a statement of it, all else is a hint. */
import { timingSafeEqual, verify } from "node:crypto"
import { Data, Either } from "effect"
import type { Report } from "../../domain/Outcome.ts"

export interface CallbackRequest {
  readonly method: string
  /** As it was called, without the query. */
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

/** Whether it is proved, or what it is about, cannot be told just now: the provider is to send it again. */
export class NotNow extends Data.TaggedError("NotNow")<{
  readonly message: string
  /** Where it was proved, and only its subject could not be looked up. */
  readonly proof?: Proof
}> {}

/** Compares secrets and signatures without telling by its time how much of them was right. */
export const isSame = (expected: string | Buffer, given: string | Buffer | undefined): boolean => {
  const [a, b] = [Buffer.from(expected), Buffer.from(given ?? "")]
  return a.length > 0 && a.length === b.length && timingSafeEqual(a, b)
}

/** What came of holding a secret or a signature against what was expected. A condition can make it fail, and none make it hold. */
export class Check {
  protected readonly holds: boolean

  private constructor(holds: boolean) {
    this.holds = holds
  }

  static readonly failed = new Check(false)

  static same(expected: string | Buffer, given: string | Buffer | undefined): Check {
    return new Check(isSame(expected, given))
  }

  /** By a public key, as node:crypto verifies it. */
  static signed(hash: string, ...[data, key, signature]: SignatureParts): Check {
    return new Check(verify(hash, data, key, signature))
  }

  static any(checks: ReadonlyArray<Check>): Check {
    return new Check(checks.some(({ holds }) => holds))
  }

  /** Nothing was checked where there are none. */
  static every(checks: ReadonlyArray<Check>): Check {
    return new Check(checks.length > 0 && checks.every(({ holds }) => holds))
  }

  /** Only where this is so as well. */
  where(condition: boolean): Check {
    return condition ? this : Check.failed
  }

  static holds({ holds }: Check): boolean {
    return holds
  }
}

type SignatureParts = [data: Buffer, key: Parameters<typeof verify>[2], signature: Buffer]

/** That the provider itself said it. There is no other way to one than a check that holds. */
export class Proof {
  protected readonly isChecked = true

  private constructor() {}

  static from(check: Check, otherwise: string): Either.Either<Proof, NoProof> {
    return Check.holds(check) ? Either.right(new Proof()) : Either.left(new NoProof({ message: otherwise }))
  }
}

/** By either name; what is known by neither is kept until it is. */
export interface Named {
  readonly reference: string | null
  readonly providerPaymentId: string | null
  /** Needed where payers can choose a reference: what one of them pays must not pass for a payout or a refund of ours. */
  readonly about?: "payin" | "payout" | "refund"
}

export class Statement extends Data.TaggedClass("Statement")<{
  /** Unique for the provider: its own event id, or a digest of the body. */
  readonly key: string
  readonly attempt: Named
  readonly report: Report
  readonly proof: Proof
}> {}

/** It proves nothing: the provider is asked, in its turn. */
export class Hint extends Data.TaggedClass("Hint")<{ readonly attempt: Named }> {}

export type CallbackEvent = Statement | Hint

export interface Callback {
  /** None where it is about nothing of ours, such as a test of the address. */
  readonly events: ReadonlyArray<CallbackEvent>
  /** What the provider wants to hear, where that is not the usual answer. */
  readonly reply?: { readonly status: number; readonly contentType: string; readonly body: string }
}
