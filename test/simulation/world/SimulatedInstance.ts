/** An instance of the service on a machine: real services and workers on shared stores and providers. */
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  Cause,
  Context,
  Duration,
  Effect,
  FiberRef,
  HashSet,
  Layer,
  type Logger,
  LogLevel,
  Runtime,
  Scope
} from "effect"
import type { Router } from "find-my-way-ts"
import { businessRoutes } from "../../../src/app/HttpApp.ts"
import { servicesOver } from "../../../src/app/Services.ts"
import { startWorkers } from "../../../src/app/BackgroundWorkers.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { workerPoll } from "../../../src/domain/policies/ServerPolicies.ts"
import { Authenticator, credentialGate } from "../../../src/people/auth/Authenticator.ts"
import { InvalidToken, JwtVerifier } from "../../../src/people/auth/JwtVerifier.ts"
import { Settings } from "../../../src/platform/config/Settings.ts"
import { Workers } from "../../../src/platform/fibers/Workers.ts"
import { AnswerWriter } from "../../../src/platform/http/AnswerWriter.ts"
import { handleExchange } from "../../../src/platform/http/HttpExchange.ts"
import type { Route } from "../../../src/platform/http/Route.ts"
import { routerOf } from "../../../src/platform/http/EndpointRoute.ts"
import { Providers } from "../../../src/providers/port/Provider.ts"
import { WebhookClient } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import type { Planted } from "../bugs/Planting.ts"
import { buildPlan, applyBugs, planLayer } from "./LayerPlan.ts"
import { CurrentWorker, type Machine } from "./Machine.ts"
import { type Stores, storesPlan, type SimulationSettings, simulationSettings } from "./SimulationStores.ts"

/** Shared by all instances of a run. */
export interface Shared {
  readonly stores: Context.Context<Stores>
  readonly ids: Context.Tag.Service<Ids>
  readonly providers: Context.Tag.Service<Providers>
  readonly webhookClient: Context.Tag.Service<WebhookClient>
  readonly logger: Logger.Logger<unknown, void>
  readonly planted: Planted
  /** Provider timeout in seconds; undefined: the default. */
  readonly providerTimeout: number | undefined
}

/** Callers use API keys only. */
const noTokens = Layer.succeed(JwtVerifier, {
  verify: () => Effect.fail(new InvalidToken({ message: "tokens are not used here" }))
})

const gate = credentialGate.pipe(Layer.provide(Authenticator.layer), Layer.provide(noTokens))

export const services = gate.pipe(Layer.provideMerge(servicesOver(Layer.context<Providers>())))

export type Services =
  | Layer.Layer.Success<typeof services>
  | Layer.Layer.Context<typeof services>
  | Stores
  | SimulationSettings

const servicesPlan = planLayer(
  services,
  Context.merge(simulationSettings, Effect.runSync(buildPlan(storesPlan, simulationSettings))).pipe(
    Context.add(
      Ids,
      Ids.fromBytes((count, make) => Effect.sync(() => make(new Uint8Array(count))))
    ),
    Context.add(Providers, { find: () => Effect.succeed(undefined) })
  ),
  true
)

export interface Instance {
  readonly machine: Machine
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  readonly fork: <A, E>(effect: Effect.Effect<A, E, Services>) => ReturnType<typeof Effect.runFork<A, E>>
}

/** Workers that have nothing to do in a simulation. */
const idle: ReadonlySet<string> = new Set(["simulators", "figures", "rate limits"])

/** Starts workers under their names; in an empty world they begin with a pause. */
const idleFirst = (workers: Context.Tag.Service<Workers>, isEmpty: boolean): Context.Tag.Service<Workers> => ({
  ...workers,
  start: (name, worker) => {
    if (idle.has(name)) return Effect.void
    const begun = isEmpty ? Effect.zipRight(Effect.sleep(workerPoll), worker) : worker
    return workers.start(name, Effect.locally(begun, CurrentWorker, name))
  }
})

let cachedRouter: { readonly router: Router<Route>; readonly places: ReadonlyMap<Route, number> } | undefined

/** Builds the route tree once for all runs; only the handlers differ. */
const routed = (routes: ReadonlyArray<Route>): Router<Route> => {
  cachedRouter ??= { router: routerOf(routes), places: new Map(routes.map((route, at) => [route, at])) }
  const { places, router } = cachedRouter
  const find: Router<Route>["find"] = (method, path) => {
    const found = router.find(method, path)
    return found && { ...found, handler: routes[places.get(found.handler)!]! }
  }
  return Object.assign(Object.create(router) as Router<Route>, { find })
}

const booted = (machine: Machine, shared: Shared, isEmpty: boolean) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { ids, planted, providers, stores } = shared
    const settings = Context.get(simulationSettings, Settings)
    const { providerTimeout } = shared
    const given = simulationSettings.pipe(
      Context.add(
        Settings,
        providerTimeout === undefined ? settings : { ...settings, providerTimeout: Duration.seconds(providerTimeout) }
      ),
      Context.add(Ids, ids),
      Context.add(Providers, providers),
      // The default is shared by the process and would wake the workers of other machines.
      Context.add(WorkQueues, WorkQueues.make())
    )
    const all = Context.merge(applyBugs(given, planted), stores)
    const context: Context.Context<Services> = Context.merge(all, yield* buildPlan(servicesPlan, all, planted))
    return yield* Effect.gen(function* () {
      const writer = new AnswerWriter()
      const answers = handleExchange(shared.ids, routed(yield* businessRoutes), new Set())
      const workers = idleFirst(yield* Workers, isEmpty)
      yield* startWorkers.pipe(
        Effect.provideService(Workers, workers),
        Effect.provideService(WebhookClient, shared.webhookClient)
      )
      const runtime = yield* Effect.runtime<Services>()
      // Handlers have their services already; a bare runtime keeps their fibers small.
      const bare = Runtime.make({ ...runtime, context: Context.empty() })
      const instance: Instance = {
        machine,
        answer: (request, response) => void Runtime.runFork(bare)(answers(request, response, writer)),
        fork: (effect) => Runtime.runFork(runtime)(effect)
      }
      return instance
    }).pipe(Effect.provide(context), Scope.extend(scope))
  })

/** Starts an instance, which is ready after some steps of its machine. `isEmpty`: nothing has happened yet. */
export const boot = (
  machine: Machine,
  shared: Shared,
  isEmpty: boolean,
  ready: (instance: Instance) => void,
  broken: (reason: string) => void
): void => {
  const program = booted(machine, shared, isEmpty).pipe(
    Effect.tap((instance) => Effect.sync(() => ready(instance))),
    Effect.withClock(machine.clock),
    Effect.withRandom(machine.random),
    Effect.withTracerEnabled(false),
    Effect.locally(FiberRef.currentLoggers, HashSet.make(shared.logger)),
    Effect.locally(FiberRef.currentMinimumLogLevel, LogLevel.Warning)
  )
  Effect.runFork(program, { scheduler: machine.scheduler }).addObserver((exit) => {
    if (exit._tag === "Failure") broken(Cause.pretty(exit.cause))
  })
}
