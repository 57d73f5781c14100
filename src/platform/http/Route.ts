/** What the router finds: a name for logs and metrics, and what to do. */
import type { IncomingMessage } from "node:http"
import type { Effect } from "effect"
import type { Failure } from "../../domain/Failure.ts"
import type { Outgoing } from "./Outgoing.ts"
import type { RequestNote } from "./RequestNote.ts"

export interface Incoming {
  readonly request: IncomingMessage
  readonly requestId: string
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly note: RequestNote
}

export interface Route {
  readonly method: string
  readonly path: `/${string}`
  readonly handle: (incoming: Incoming) => Effect.Effect<Outgoing, Failure>
}

/** Load balancers and previews of links ask with HEAD as well; Node then sends the headers alone. */
export const alsoByHead = (routes: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  routes.flatMap((route) => (route.method === "GET" ? [route, { ...route, method: "HEAD" }] : [route]))
