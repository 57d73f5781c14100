/**
 * Permission to send an attempt again. Only the provider's promises and the time since the first send grant it. Functions
 * that send again take one as an argument.
 */
import { Duration, Option } from "effect"
import type { Absent } from "../../domain/Outcome.ts"
import { absenceGrace } from "../../domain/policies/PaymentPolicies.ts"
import type { Promised, Provider } from "./Provider.ts"

/** Times of sending, by the clock of the store. */
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

/** Whether the attempt was sent to the current account. */
export const isSameAccount = ({ since }: Provider, { first }: Sent): boolean => since === undefined || first > since

export class ResendPermit {
  protected readonly isGiven = true

  /** Proven absent at the provider; otherwise the provider may have it and moves money once. */
  readonly isAbsent: boolean

  private constructor(isAbsent: boolean) {
    this.isAbsent = isAbsent
  }

  /** The provider still knows the reference and moves money once for it. `promised`: for orders or for refunds. */
  static honoured(provider: Provider, promised: Promised, sent: Sent): Option.Option<ResendPermit> {
    return isSameAccount(provider, sent) && holdsFor(promised, sent)
      ? Option.some(new ResendPermit(false))
      : Option.none()
  }

  /** The provider reports no such reference, and enough time has passed for that to be proof. */
  static absent(provider: Provider, _report: Absent, sent: Sent): Option.Option<ResendPermit> {
    return isSameAccount(provider, sent) && holdsAfter(provider.provesAbsence, sent)
      ? Option.some(new ResendPermit(true))
      : Option.none()
  }
}

/** The promise for refunds. */
export const refundsHonoured = ({ honoursReference, refundsHonourReference }: Provider): Promised =>
  refundsHonourReference ?? honoursReference
