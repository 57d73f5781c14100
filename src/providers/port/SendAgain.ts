/**
 * Leave to send an attempt a second time. It comes from what its provider promises and from how long ago it was sent, and
 * from nothing else: whoever sends again takes one as an argument.
 */
import { Duration, Option } from "effect"
import type { Absent } from "../../domain/Outcome.ts"
import { absenceGrace } from "../../domain/Policies.ts"
import type { Promised, Provider } from "./Provider.ts"

/** Seconds since it was last sent, by the clock of the store. */
type Ago = number

const holdsFor = (promised: Promised, ago: Ago): boolean =>
  typeof promised === "boolean" ? promised : ago < Duration.toSeconds(promised)

const holdsAfter = (promised: Promised, ago: Ago): boolean =>
  promised !== false &&
  ago >= Duration.toSeconds(promised === true ? absenceGrace : Duration.max(promised, absenceGrace))

export class SendAgain {
  protected readonly isGiven = true

  /** The provider was shown not to have it; otherwise it may well have it, and moves it once. */
  readonly isAbsent: boolean

  private constructor(isAbsent: boolean) {
    this.isAbsent = isAbsent
  }

  /** It moves money once for a reference, and still remembers it. */
  static honoured(honoursReference: Promised, ago: Ago): Option.Option<SendAgain> {
    return holdsFor(honoursReference, ago) ? Option.some(new SendAgain(false)) : Option.none()
  }

  /** It says that it has no trace of it, and its word proves it by now. */
  static absent({ provesAbsence }: Provider, _word: Absent, ago: Ago): Option.Option<SendAgain> {
    return holdsAfter(provesAbsence, ago) ? Option.some(new SendAgain(true)) : Option.none()
  }
}

/** What it promises of money that it is to give back. */
export const refundsHonoured = ({ honoursReference, refundsHonourReference }: Provider): Promised =>
  refundsHonourReference ?? honoursReference
