/** Leave to send an attempt: for the first time, or again. Whoever sends takes one as an argument, and nobody writes one down. */
import { Option } from "effect"
import type { SendAgain } from "../../providers/port/SendAgain.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Attempt } from "../store/Payment.ts"

/** One that whoever commits it sends at once. */
export type SentAtOnce = NewAttempt & { readonly enquire_in: number }

/** Nobody has sent it before. */
export class FirstSend {
  protected readonly isFirst = true

  readonly isAbsent = true

  private constructor() {}

  /** Of an attempt that was made just now. */
  static made(_attempt: SentAtOnce): FirstSend {
    return new FirstSend()
  }

  /** Of one that was committed for any instance to send, and claimed: none where others had it before. */
  static claimed({ outcome, sends }: Attempt): Option.Option<FirstSend> {
    return sends === 1 && outcome === null ? Option.some(new FirstSend()) : Option.none()
  }
}

export type Leave = FirstSend | SendAgain
