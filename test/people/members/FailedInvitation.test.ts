import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer, TestServer } from "../../support/TestServer.ts"
import { freshAddress, invite } from "./InvitationFixtures.ts"

/** Closed port. */
const SMTP_URL = "smtp://127.0.0.1:9"

onDatabaseServer(
  "An invitation that cannot be sent",
  (it) => {
    it.effect("is 409, is withdrawn, and alerts operators", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { logs } = yield* TestServer
        const email = yield* freshAddress("far")
        for (const _ of ["first", "again"]) {
          const answer = yield* invite(acme.key, acme.org_id, email)
          expect(refusedFields(answer)).toEqual([409, "email"])
        }
        const list = yield* send(`/v1/organizations/${acme.org_id}/invitations`, { headers: { ...acme.key } })
        const { data } = bodyOf(list) as { readonly data: ReadonlyArray<{ readonly status: string }> }
        expect(data.map(({ status }) => status)).toEqual(["withdrawn", "withdrawn"])
        expect(logs.filter(({ message }) => message.startsWith("An invitation could not be sent"))).toHaveLength(2)
      })
    )
  },
  { SMTP_URL }
)
