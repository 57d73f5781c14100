/** Every route of the service by method and path: the contract's endpoints, and pages outside of it. */
import { HttpApi } from "@effect/platform"
import { Context, Effect, Option } from "effect"
import * as FindMyWay from "find-my-way-ts"
import { Api } from "../../contract/api/Api.ts"
import { SignedCallback } from "../../contract/api/SignedCallback.ts"
import { Owners } from "../idempotency/Owners.ts"
import { compileEndpoint, type Compiled, endpointRoute, makeListTurns } from "./EndpointRoute.ts"
import { Replica } from "../database/Replica.ts"
import { Gate } from "./Gate.ts"
import type { Implementation } from "./Handlers.ts"
import { OnceOnly } from "./OnceOnly.ts"
import type { Route } from "./Route.ts"

type AnyHandlers = Readonly<Record<string, Readonly<Record<string, Parameters<typeof endpointRoute>[2]>>>>

interface Declared {
  readonly group: string
  readonly about: Compiled
}

const declared: ReadonlyArray<Declared> = (() => {
  const all: Array<Declared> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, successes }) => {
      if (Option.isSome(Context.getOption(endpoint.annotations, SignedCallback))) return
      const [status = 200] = successes.keys()
      const about = compileEndpoint(endpoint as unknown as Compiled["endpoint"], status)
      all.push({ group: group.identifier, about })
    }
  })
  return all
})()

export const apiRoutes = (implementation: Implementation<typeof Api>) => {
  const handlers = implementation as unknown as AnyHandlers
  const needed = { gate: Gate, once: OnceOnly, owners: Owners, replica: Replica }
  return Effect.map(Effect.all({ ...needed, listTurns: Effect.sync(makeListTurns) }), (servants) =>
    declared.map(({ about, group }) => endpointRoute(servants, about, handlers[group]![about.endpoint.name]!))
  ).pipe(OnceOnly.provided)
}

export const routerOf = (routes: ReadonlyArray<Route>): FindMyWay.Router<Route> => {
  // One spelling for every path: see Target.
  const exact = { caseSensitive: true, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false }
  const router = FindMyWay.make<Route>({ ...exact, maxParamLength: 200 })
  for (const route of routes) router.on(route.method, route.path, route)
  return router
}
