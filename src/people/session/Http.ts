import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { SessionApi } from "../../contract/api/Session.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { Sessions } from "./Sessions.ts"

export const sessionHandlers = Effect.map(Sessions, (sessions): Handlers<typeof SessionApi> => ({
  me: ({ permit }) => Effect.map(sessions.of(permit), (session) => success("Session", session))
}))
