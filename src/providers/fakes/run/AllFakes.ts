/** Every fake that the product brings, each with what its third party calls the settings of an account. */
import { Effect, type Scope } from "effect"
import type { ThirdParty } from "../../port/ThirdParty.ts"
import type { Fake } from "../Fake.ts"
import { type FakeNotStarted, type FakeOptions, type RunningFake, startFake } from "../FakeServer.ts"

export interface ShippedFake {
  readonly fake: Fake
  readonly thirdParty: Pick<ThirdParty, "fields" | "title">
}

export const allFakes: ReadonlyArray<ShippedFake> = []

export interface StartedFake extends ShippedFake {
  readonly running: RunningFake
  /** What Corridor is started with so that it speaks to this fake. */
  readonly settings: ReadonlyArray<readonly [name: string, value: string]>
}

const settingsFor = ({ fake, thirdParty }: ShippedFake, { credentials, url }: RunningFake): StartedFake["settings"] => [
  [`${fake.name.toUpperCase()}_BASE_URL`, url],
  ...Object.entries(credentials).flatMap(([name, value]): StartedFake["settings"] => {
    const field = thirdParty.fields[name]
    return field === undefined ? [] : [[field.env, value]]
  })
]

export interface FakesOptions extends Omit<FakeOptions, "callbackUrl" | "port"> {
  /** Where Corridor is reached. */
  readonly callbackBase: string
  /** Of the first of them; the others follow. Any that are free, unless it is said. */
  readonly firstPort?: number
}

export const startFakes = (
  { callbackBase, firstPort, ...options }: FakesOptions,
  fakes: ReadonlyArray<ShippedFake> = allFakes
): Effect.Effect<ReadonlyArray<StartedFake>, FakeNotStarted, Scope.Scope> =>
  Effect.forEach(fakes, (shipped, at) =>
    Effect.map(
      startFake(shipped.fake, {
        ...options,
        callbackUrl: `${callbackBase.replace(/\/+$/, "")}/callbacks/${shipped.fake.name}`,
        ...(firstPort === undefined ? {} : { port: firstPort + at })
      }),
      (running) => ({ ...shipped, running, settings: settingsFor(shipped, running) })
    )
  )
