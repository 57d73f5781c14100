/** What `corridor payments` was told, before it needs the service. */
import { type BigDecimal, Effect, Either, Option, Schema } from "effect"
import { Flow } from "../../domain/Corridor.ts"
import { type PaymentStatus, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { amountIn, decodeInput, decodeOption, refuse } from "./CommandInput.ts"

export type Outcome = "completed" | "failed"

export const Reason = Schema.Trim.pipe(Schema.minLength(1), Schema.maxLength(500))

/** `corridor payments resolve` as it was typed. */
export interface TypedVerdict {
  readonly id: string
  readonly as: Option.Option<Outcome>
  readonly reason: Option.Option<string>
  readonly item: Option.Option<string>
  readonly movement: Option.Option<string>
  readonly amount: Option.Option<string>
  readonly json: boolean
}

export interface Verdict {
  readonly outcome: Outcome
  readonly reason: string
  readonly item: string | undefined
  readonly movementId: string | undefined
  readonly amount: BigDecimal.BigDecimal | undefined
}

/** None: the decisions are to be listed. */
export const wantedVerdict = Effect.fnUntraced(function* (typed: TypedVerdict) {
  if (Option.isNone(typed.as)) {
    if (Option.isSome(typed.reason)) return yield* refuse("--as: say completed or failed, or leave --reason out.")
    return Option.none<Verdict>()
  }
  if (Option.isNone(typed.reason)) return yield* refuse("--reason: say how you know.")
  const reason = yield* decodeOption("--reason", Reason, typed.reason.value)
  const amount = Option.map(typed.amount, (given) => amountIn(given, "a decimal number such as 500.00"))
  if (Option.isSome(amount) && Either.isLeft(amount.value)) return yield* refuse(`--amount ${amount.value.left}.`)
  return Option.some<Verdict>({
    amount: Option.getOrUndefined(Option.flatMap(amount, Either.getRight)),
    outcome: typed.as.value,
    reason,
    item: Option.getOrUndefined(typed.item),
    movementId: Option.getOrUndefined(typed.movement)
  })
})

export interface Sought {
  readonly status: Option.Option<PaymentStatus>
  readonly direction: Option.Option<Flow>
  readonly reference: Option.Option<string>
  readonly org: Option.Option<string>
  readonly limit: string
}

const whole = () => ({ message: "is not a whole number from 1 to 100", override: true })

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Filter = Schema.Struct({
  status: maybe(Schema.Literal(...paymentStatuses)),
  direction: maybe(Flow),
  reference: maybe(Schema.NonEmptyString),
  org: maybe(Schema.NonEmptyString),
  limit: Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 100)).annotations({ message: whole })
})

export const wantedFilter = ({ limit, ...options }: Sought) => {
  const given = Object.entries(options).flatMap(([name, value]) =>
    Option.isSome(value) ? [[name, value.value] as const] : []
  )
  return decodeInput(Filter, { ...Object.fromEntries(given), limit } as typeof Filter.Encoded)
}
