import { expect, it } from "vitest"
import { sentHeaders } from "../../../src/console/pages/webhooks/SentHeaders.ts"
import { hookHeaders } from "../../../src/webhooks/delivery/HookHeaders.ts"

const delivery = { event_id: "0199c2a8", event_type: "payment.completed" }

const fieldsOf = (text: string) => new Map(text.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]))

it("names the headers that are sent, with the values of all that do not depend on the secret and the moment", () => {
  const shown = fieldsOf(sentHeaders({ ...delivery, attempts: 3 }))
  const secrets = { current: "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0", previous: null }
  const sent = hookHeaders({ ...delivery, attempt: 3, payload: "{}", test: false }, secrets, 0)
  for (const [name, value] of shown) expect(value.includes("<") || value === sent[name], name).toBe(true)
  expect([...shown.keys(), "user-agent"].sort()).toEqual(Object.keys(sent).sort())
})

it("tells of the first attempt before it", () =>
  expect(fieldsOf(sentHeaders({ ...delivery, attempts: 0 })).get("x-service-attempt")).toBe("1"))
