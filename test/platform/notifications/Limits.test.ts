/** Nobody is flooded with messages in our name, and every message says whose it is. */
import { expect } from "@effect/vitest"
import { Effect, Option, Duration } from "effect"
import {
  messagesOfOrganization,
  messagesToRecipientOfOne,
  messageWindow
} from "../../../src/domain/policies/PeoplePolicies.ts"
import { sha256Hex } from "../../../src/domain/Digest.ts"
import { MessageCounts, NotificationStore } from "../../../src/platform/notifications/NotificationStore.ts"
import { countMessage } from "../../../src/platform/notifications/Notifier.ts"
import { OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { freshAddress, invite, joined } from "../../people/members/InvitationFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { inOneHour } from "../../support/OneHour.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { type Answer, bodyOf } from "../../support/Send.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { about, ask, bodyFor, newBeneficiary, outbox } from "../../people/verification/VerificationFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const expectLimited = (answer: Answer, words: RegExp) => {
  expect([answer.status, bodyOf(answer)], answer.text).toEqual([
    429,
    { status: "error", message: expect.stringMatching(words) }
  ])
  expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1)
}

onDatabaseServer("Messages", (it) => {
  const sentTo = (to: string) =>
    Effect.map(
      Effect.flatMap(NotificationStore, (store) => store.list(Option.none(), { after: Option.none(), take: 1000 })),
      (all) => all.filter((message) => message.to.toLowerCase() === to.toLowerCase())
    )

  it.effect("go to one address as often as one organisation may, whatever the case of its letters", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const email = yield* freshAddress("Flooded")
      const body = yield* bodyFor(acme)
      const request = { ...body, beneficiary_id: yield* newBeneficiary(acme, { email }), target_type: "beneficiary" }
      yield* Effect.forEach(Array.from({ length: messagesToRecipientOfOne }), () =>
        Effect.map(ask(acme.key, request), ({ status, text }) => expect(status, text).toBe(200))
      )
      expectLimited(yield* ask(acme.key, request), /messages of this organisation to this address/)
      const shouted = yield* newBeneficiary(acme, { email: email.toUpperCase() })
      const both = yield* ask(acme.key, { ...body, beneficiary_id: shouted })
      expect(both.status, both.text).toBe(207)
      expect(bodyOf(both)).toMatchObject({
        all_success: false,
        results: [
          { target: "beneficiary", status: "failed", success: false, message: expect.stringMatching(/^Too many/) },
          { target: "sender", status: "pending", success: true }
        ]
      })
      expectLimited(yield* invite(acme.key, acme.org_id, email), /Too many messages/)
      expect(yield* sentTo(email)).toHaveLength(messagesToRecipientOfOne)
      expect((yield* invite(globex.key, globex.org_id, email)).status, "other organisations can still write").toBe(201)
      expect((yield* ask(acme.key, { ...body, target_type: "sender" })).status, "nor to others").toBe(200)
    }).pipe(inOneHour)
  )

  it.effect("are only so many for each organisation, and for each address of all together", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const counts = yield* MessageCounts
      yield* Effect.replicateEffect(counts.count(`by ${globex.org_id}`, messagesOfOrganization), messagesOfOrganization)
      const email = yield* freshAddress("Any")
      expectLimited(yield* invite(globex.key, globex.org_id, email), /messages of this organisation:/)
      yield* Effect.replicateEffect(counts.count(`to ${sha256Hex(email.toLowerCase())}`, 60), 60)
      expectLimited(yield* invite(acme.key, acme.org_id, email), /messages to this address:/)
      expect((yield* invite(acme.key, acme.org_id, yield* freshAddress("Other"))).status).toBe(201)
    }).pipe(inOneHour)
  )

  it.effect("that one address gets no more of use up nothing of what the organisation may send to others", () =>
    Effect.gen(function* () {
      const { org_id: org } = yield* newOrganization()
      const { credential } = yield* joined(org, "org-admin")
      const counts = yield* MessageCounts
      const email = yield* freshAddress("Full")
      const ofOne = `by ${org} to ${sha256Hex(email.toLowerCase())}`
      yield* Effect.replicateEffect(counts.count(ofOne, messagesToRecipientOfOne), messagesToRecipientOfOne)
      yield* Effect.replicateEffect(counts.count(`by ${org}`, messagesOfOrganization), messagesOfOrganization - 1)
      expectLimited(yield* invite(credential, org, email), /messages of this organisation to this address/)
      expect((yield* invite(credential, org, yield* freshAddress("Other"))).status).toBe(201)
    }).pipe(inOneHour)
  )

  it.effect("that payers ask for keep the organisation from none of its own", () =>
    Effect.gen(function* () {
      const { org_id: org } = yield* newOrganization()
      const { credential } = yield* joined(org, "org-admin")
      const counts = yield* MessageCounts
      yield* Effect.replicateEffect(counts.count(`by ${org}`, messagesOfOrganization), messagesOfOrganization - 1)
      const to = yield* freshAddress("Payer")
      const receipt = {
        to,
        subject: "Receipt",
        text: "Paid.",
        org_id: org,
        kind: "receipt",
        priority: "medium"
      } as const
      yield* Effect.replicateEffect(countMessage(counts, receipt), 2)
      expect((yield* invite(credential, org, yield* freshAddress("Colleague"))).status).toBe(201)
      expectLimited(yield* invite(credential, org, yield* freshAddress("Late")), /messages of this organisation:/)
      yield* countMessage(counts, receipt)
    }).pipe(inOneHour)
  )

  it.effect("name their organisation in our own words, quote others' and lead nowhere", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const organizations = yield* OrganizationStore
      const { credential } = yield* joined(acme.org_id, "org-admin")
      const before = Option.getOrThrow(yield* organizations.find(Option.none(), acme.org_id))
      const named = (name: string) => organizations.update(Option.none(), { ...before, name })
      yield* named("Acme\r\nBcc: eve@evil.com at https://evil.example")
      yield* Effect.gen(function* () {
        const body = yield* bodyFor(acme)
        const message = "Habari,\n\nTransaction: forged\r\nRequest: forged"
        const answer = yield* ask(acme.key, { ...body, target_type: "sender", message })
        const { request_id } = bodyOf(answer) as { readonly request_id: string }
        const email = yield* freshAddress("invited")
        expect((yield* invite(credential, acme.org_id, email)).status).toBe(201)
        const [request] = about(yield* outbox(acme.org_id), request_id)
        const [invitation] = yield* sentTo(email)
        const shown = "Acme Bcc: eve@evil[.]com at https[:]//evil[.]example"
        for (const sent of [request!, invitation!]) {
          expect(sent.subject).toContain(shown)
          expect(sent.subject).not.toMatch(/[\r\n]/)
          expect(sent.text).toContain(shown)
          expect(sent.text).not.toContain("evil.")
        }
        expect(request!.text.startsWith(`${shown} asks you to verify`)).toBe(true)
        expect(request!.text).toContain("> Habari,\n>\n> Transaction: forged\n> Request: forged\n\nTransaction: ")
      }).pipe(Effect.ensuring(Effect.orDie(named(before.name))))
    })
  )

  it.effect.each(["https://evil.example", "see evil.com", "ada@evil.com", "evil\u200b.com"])(
    "with “%s” in the caller's words are 400, and no message is sent",
    (words) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const body = yield* bodyFor(acme)
        const answer = yield* ask(acme.key, { ...body, message: `Please ${words} now` })
        expect(refusedFields(answer)).toEqual([400, "message"])
        expect(about(yield* outbox(acme.org_id), body.transaction_id)).toEqual([])
      })
  )
})

onBothStores("MessageCounts", (it) => {
  it.effect("counts as many as are allowed, however many come at once, and says when to come again", () =>
    Effect.gen(function* () {
      const counts = yield* MessageCounts
      const [name, other] = [yield* nextId, yield* nextId]
      const all = yield* Effect.replicateEffect(counts.count(name, 5), 12, { concurrency: "unbounded" })
      expect(all.filter(({ allowed }) => allowed)).toHaveLength(5)
      for (const refused of all.filter((one) => !one.allowed)) {
        expect(refused).toEqual({ allowed: false, retryAfterSeconds: expect.any(Number) })
        const { retryAfterSeconds } = refused as { readonly retryAfterSeconds: number }
        expect(retryAfterSeconds).toBeGreaterThanOrEqual(1)
        expect(retryAfterSeconds).toBeLessThanOrEqual(Duration.toSeconds(messageWindow))
      }
      expect(yield* counts.count(other, 5), "by name").toEqual({ allowed: true })
      expect(yield* counts.count(name, 6), "up to what is allowed now").toEqual({ allowed: true })
    })
  )
})
