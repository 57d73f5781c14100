/** One object of every kind that a path can name, made by its own operation with the example that its reference shows. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Document, examplesOf, operationsOf } from "../contract/api/Operations.ts"
import { deposit, openAccount, withdraw } from "../treasury/accounts/Banking.ts"
import { newLink } from "../hosted/links/Linking.ts"
import { freshAddress, invitedAgain, joined } from "../people/members/Inviting.ts"
import type { Cast, Credential } from "../support/Credentials.ts"
import { bodyOf, post, send } from "../support/Send.ts"

type Fields = Readonly<Record<string, unknown>>

export interface Makers {
  readonly owner: Cast
  readonly admin: Credential
}

interface Made {
  /** The ids, by the name that paths give them. */
  readonly ids: Readonly<Record<string, string>>
  /** What is no secret: words that a path holds beside an id. */
  readonly words?: Readonly<Record<string, string>>
  /** By the name of the operation: what its example cannot know of these objects. */
  readonly bodies: Readonly<Record<string, Fields>>
}

export const requestExample = (document: Document, name: string): Fields => {
  const body = operationsOf(document).find((operation) => operation.name === name)?.about.requestBody
  const [example] = examplesOf(body)
  return { ...(example as Fields | undefined) }
}

const textOf = (value: unknown): string => {
  expect(value).toBeTypeOf("string")
  return String(value)
}

const make = (document: Document, path: string, credential: Credential, change: Fields = {}) =>
  Effect.map(
    post(`/v1${path}`, { ...credential }, { ...requestExample(document, `POST ${path}`), ...change }),
    (answer) => {
      expect(answer.status, `POST ${path}: ${answer.text}`).toBeLessThan(300)
      const body = bodyOf(answer) as Fields
      return (body["data"] ?? body["response"] ?? body) as Fields
    }
  )

const newestDelivery = (credential: Credential) =>
  Effect.map(send("/v1/public/webhooks/deliveries?limit=1", { headers: { ...credential } }), (answer) => {
    const { data } = bodyOf(answer) as { readonly data: ReadonlyArray<Fields> }
    return data[0] ?? {}
  })

/** Whoever is invited here must be the one who tries to accept it. */
const ADMIN = "admin@corridor.example"

/**
 * A route with a path parameter that is made nowhere here fails the walk: add its maker. Messages go to somebody new each
 * time, since one address gets only so many an hour; `forAdmin`: the admin is to accept the invitation.
 */
export const makeObjects = (document: Document, { admin, owner }: Makers, forAdmin = false) =>
  Effect.gen(function* () {
    const { org_id } = owner
    const key = yield* make(document, "/public/api-keys", owner.key)
    const beneficiary = yield* make(document, "/beneficiaries", owner.key)
    const config = yield* make(document, "/payments/provider-configs", admin, { org_id })
    const payment = yield* make(document, "/payments-init/initiate", owner.key)
    const webhook = yield* make(document, "/public/webhooks", owner.key, { endpoint_url: "http://127.0.0.1:9/" })
    yield* make(document, "/public/webhooks/notify", owner.key, { org_id })
    const delivery = yield* newestDelivery(owner.key)
    const staff = owner.userId("staff")
    const member = yield* joined(org_id, "member")
    const verification = yield* make(document, "/users/notifications/verification-request", owner.key, {
      ...{ user_id: staff, sender_id: member.user_id, target_type: "sender" },
      transaction_id: payment["transaction_id"]
    })
    const account = yield* openAccount(owner.key, { org_id, user_id: staff })
    yield* deposit(owner.key, account.account_id, 100)
    const withdrawal = yield* withdraw(owner.key, account.account_id, {
      amount: 100,
      beneficiary_id: textOf(beneficiary["beneficiary_id"])
    })
    const escrow = yield* make(document, "/virtual-accounts/escrow", admin, { org_id, account_id: account.account_id })
    const [party] = escrow["parties"] as ReadonlyArray<Fields>
    const [milestone] = escrow["milestones"] as ReadonlyArray<Fields>
    const invitation = yield* invitedAgain(owner.key, org_id, forAdmin ? ADMIN : yield* freshAddress("member"))
    const link = yield* newLink(owner, requestExample(document, "POST /orgs/{org_id}/payment-links"))
    return {
      ids: {
        org_id,
        account_id: account.account_id,
        api_key_id: textOf(key["api_key_id"]),
        beneficiary_id: textOf(beneficiary["beneficiary_id"]),
        config_id: textOf(config["config_id"]),
        delivery_id: textOf(delivery["delivery_id"]),
        escrow_id: textOf(escrow["escrow_id"]),
        invitation_id: invitation.invitation_id,
        link_id: link.link_id,
        milestone_id: textOf(milestone?.["milestone_id"]),
        party_id: textOf(party?.["party_id"]),
        payment_id: textOf(payment["payment_id"]),
        request_id: textOf(verification["request_id"]),
        transaction_id: withdrawal.transaction_id,
        user_id: member.user_id,
        webhook_id: textOf(webhook["webhook_id"])
      },
      words: { provider: textOf(config["provider"]), permission: "payouts", token: invitation.token },
      bodies: {
        "PUT /virtual-accounts/escrow/{escrow_id}/milestones/{milestone_id}/parties": {
          parties: milestone?.["parties"]
        }
      }
    } satisfies Made as Made
  })
