/**
 * Leave to send an attempt a second time. It comes from what its provider promises and from how long ago it was sent, and
 * from nothing else: whoever sends again takes one as an argument.
 */
import { Duration, Option } from "effect"
import type { Absent } from "../../domain/Outcome.ts"
import { absenceGrace } from "../../domain/policies/PaymentPolicies.ts"
import type { Promised, Provider } from "./Provider.ts"

/** All by the clock of the store. */
export interface Sent {
  readonly first: Date
  readonly last: Date
  readonly now: Date
}

const holdsFor = (promised: Promised, { first, now }: Sent): boolean =>
  typeof promised === "boolean" ? promised : now.getTime() - first.getTime() < Duration.toMillis(promised)

const holdsAfter = (promised: Promised, { last, now }: Sent): boolean =>
  promised !== false &&
  now.getTime() - last.getTime() >=
    Duration.toMillis(promised === true ? absenceGrace : Duration.max(promised, absenceGrace))

/** Whether the account that is reached now is the one that the attempt was sent to: another one never had it. */
export const isSameAccount = ({ since }: Provider, { first }: Sent): boolean => since === undefined || first > since

export class ResendPermit {
  protected readonly isGiven = true

  /** The provider was shown not to have it; otherwise it may well have it, and moves it once. */
  readonly isAbsent: boolean

  private constructor(isAbsent: boolean) {
    this.isAbsent = isAbsent
  }

  /** It moves money once for a reference, and still remembers it. `promised`: what it promises of orders, or of refunds. */
  static honoured(provider: Provider, promised: Promised, sent: Sent): Option.Option<ResendPermit> {
    return isSameAccount(provider, sent) && holdsFor(promised, sent)
      ? Option.some(new ResendPermit(false))
      : Option.none()
  }

  /** It says that it has no trace of it, and its word proves it by now. */
  static absent(provider: Provider, _word: Absent, sent: Sent): Option.Option<ResendPermit> {
    return isSameAccount(provider, sent) && holdsAfter(provider.provesAbsence, sent)
      ? Option.some(new ResendPermit(true))
      : Option.none()
  }
}

/** What it promises of money that it is to give back. */
export const refundsHonoured = ({ honoursReference, refundsHonourReference }: Provider): Promised =>
  refundsHonourReference ?? honoursReference
