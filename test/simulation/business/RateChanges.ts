/** Operators who change rates while locks, reviews and refunds are open. */
import { BigDecimal, Effect, Schema } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { roundToSignificantDigits } from "../../../src/domain/Decimal.ts"
import { fromDecimal } from "../../../src/domain/Exchange.ts"
import { memoryTable } from "../../../src/platform/database/MemoryDatabase.ts"
import { Rates } from "../../../src/money/rates/Rates.ts"
import type { StoredRate } from "../../../src/money/rates/RateStore.ts"
import type { CurrencyValues } from "../invariants/ConversionGains.ts"
import { type StepAction, purposeOf } from "./ScenarioContext.ts"

export const rateTables = { rates: memoryTable<StoredRate>("rates") }

/** A change of more than 10 % needs a second person. */
const people = [operatorPermit("platform", "amina"), operatorPermit("platform", "baraka")] as const

const PERCENT = 2

const codeOf = Schema.decodeUnknownSync(AnyCurrencyCode)

const scaled = (rate: string, percent: bigint, isBack: boolean) => {
  const factor = BigDecimal.make(percent, PERCENT)
  const value = BigDecimal.unsafeFromString(rate)
  const moved = isBack ? BigDecimal.unsafeDivide(value, factor) : BigDecimal.multiply(value, factor)
  return fromDecimal(roundToSignificantDigits(moved, 10, "floor"))
}

/** Value of one unit of each currency in dollars. */
export const liveValues = (rates: ReadonlyMap<string, Omit<StoredRate, "source" | "published_at">>): CurrencyValues =>
  new Map([
    ["USD", BigDecimal.fromBigInt(1n)],
    ...Array.from(rates.values()).flatMap(({ from_currency, rate, to_currency }) =>
      to_currency === "USD" ? [[from_currency, BigDecimal.unsafeFromString(rate)] as const] : []
    )
  ])

/** Changes all rates of one currency, in both directions. */
export const moveRates: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const { rates } = scenario.world.database.open(rateTables)
    const moved = chance.pick(["KES", "KES", "GHS", "UGX", "USDT"], `${purpose} which`)
    const percent = chance.pick([91n, 94n, 97n, 104n, 109n, 125n], `${purpose} by`)
    scenario.env.count("fault: rates move")
    for (const { from_currency, rate, to_currency } of Array.from(rates.values())) {
      if (from_currency !== moved && to_currency !== moved) continue
      const wanted = scaled(rate, percent, to_currency === moved)
      if (wanted._tag === "Left") continue
      const [from, to] = [codeOf(from_currency), codeOf(to_currency)]
      for (const person of percent > 110n ? people : people.slice(0, 1))
        yield* scenario.world.runAsOperator(
          Effect.flatMap(Rates, (service) => Effect.orDie(service.set(person, { from, to, rate: wanted.right })))
        )
    }
    scenario.env.log(`${moved} is worth ${percent} percent of what it was`)
  })
