/** An instance of the service on a machine: its real services and workers, over stores and providers that are shared. */
import { type Context, Effect, FiberRef, HashSet, Layer, type Logger, LogLevel, Runtime, Scope } from "effect"
import type { Router } from "find-my-way-ts"
import { businessRoutes } from "../../src/app/HttpApp.ts"
import { servicesOver } from "../../src/app/Services.ts"
import type { StoresOverMemory } from "../../src/app/Stores.ts"
import { startWorkers } from "../../src/app/Workers.ts"
import { Ids } from "../../src/domain/Ids.ts"
import { Authenticator } from "../../src/people/auth/Authenticator.ts"
import { gateByCredentials } from "../../src/people/auth/Gate.ts"
import { InvalidToken, JwtVerifier } from "../../src/people/auth/JwtVerifier.ts"
import { Workers } from "../../src/platform/fibers/Workers.ts"
import { exchange } from "../../src/platform/http/Exchange.ts"
import type { Route } from "../../src/platform/http/Route.ts"
import { routerOf } from "../../src/platform/http/Router.ts"
import { Providers } from "../../src/providers/port/Provider.ts"
import { HookClient } from "../../src/webhooks/delivery/HookClient.ts"
import type { Planted } from "../bugs/Bug.ts"
import { buildWith } from "./Build.ts"
import { CurrentWorker, type Machine } from "./Machine.ts"
import { surroundings } from "./Surroundings.ts"

export type Stores = Layer.Layer.Success<typeof StoresOverMemory>

/** What the instances of a run share. */
export interface Shared {
  readonly stores: Context.Context<Stores>
  readonly ids: Context.Tag.Service<Ids>
  readonly providers: Context.Tag.Service<Providers>
  readonly hooks: Context.Tag.Service<HookClient>
  readonly logger: Logger.Logger<unknown, void>
  readonly planted: Planted
}

/** Callers come with keys: nobody waits for a signature of a token. */
const noTokens = Layer.succeed(JwtVerifier, {
  verify: () => Effect.fail(new InvalidToken({ message: "nobody issues tokens here" }))
})

const gate = gateByCredentials.pipe(Layer.provide(Authenticator.layer), Layer.provide(noTokens))

const layerOver = ({ ids, providers, stores }: Shared) =>
  gate.pipe(
    Layer.provideMerge(servicesOver(Layer.succeed(Providers, providers))),
    Layer.provideMerge(Layer.succeedContext(stores)),
    Layer.provideMerge(Layer.succeed(Ids, ids)),
    Layer.provideMerge(surroundings)
  )

export type Services = Layer.Layer.Success<ReturnType<typeof layerOver>>

type Exchange = ReturnType<typeof exchange>

export interface Instance {
  readonly machine: Machine
  readonly exchange: Exchange
  /** Runs on the machine, as all of the service does. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E, Services>) => ReturnType<typeof Effect.runFork<A, E>>
}

/** There are no built-in rails and no limits here, and nobody reads the metrics. */
const idle: ReadonlySet<string> = new Set(["rails", "figures", "rate limits"])

/** Each worker rests until there is something for it to do. */
const named = (workers: Context.Tag.Service<Workers>): Context.Tag.Service<Workers> => ({
  ...workers,
  start: (name, worker) =>
    idle.has(name) ? Effect.void : workers.start(name, Effect.locally(worker, CurrentWorker, name))
})

let known: { readonly router: Router<Route>; readonly places: ReadonlyMap<Route, number> } | undefined

/** Every instance of every run has the same routes, and only other handlers behind them: the tree of paths is built once. */
const routed = (routes: ReadonlyArray<Route>): Router<Route> => {
  known ??= { router: routerOf(routes), places: new Map(routes.map((route, at) => [route, at])) }
  const { places, router } = known
  const find: Router<Route>["find"] = (method, path) => {
    const found = router.find(method, path)
    return found && { ...found, handler: routes[places.get(found.handler)!]! }
  }
  return Object.assign(Object.create(router) as Router<Route>, { find })
}

const booted = (machine: Machine, shared: Shared) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* buildWith(layerOver(shared), shared.planted)
    return yield* Effect.gen(function* () {
      const answers = exchange(shared.ids, routed(yield* businessRoutes), new Map())
      const workers = named(yield* Workers)
      yield* startWorkers.pipe(Effect.provideService(Workers, workers), Effect.provideService(HookClient, shared.hooks))
      const runtime = yield* Effect.runtime<Services>()
      const instance: Instance = { machine, exchange: answers, fork: (effect) => Runtime.runFork(runtime)(effect) }
      return instance
    }).pipe(Effect.provide(context), Scope.extend(scope))
  })

/** Starts it; it is there once the machine has worked for a while. */
export const boot = (machine: Machine, shared: Shared, ready: (instance: Instance) => void): void => {
  const program = booted(machine, shared).pipe(
    Effect.tap((instance) => Effect.sync(() => ready(instance))),
    Effect.withClock(machine.clock),
    Effect.withRandom(machine.random),
    Effect.withTracerEnabled(false),
    Effect.locally(FiberRef.currentLoggers, HashSet.make(shared.logger)),
    Effect.locally(FiberRef.currentMinimumLogLevel, LogLevel.Warning)
  )
  Effect.runFork(program, { scheduler: machine.scheduler })
}
