/** Claims deliveries from every organisation with due ones. */
import { Effect } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import {
  type Claim,
  type ClaimOptions,
  type OrganizationQuota,
  DeliveryQueueStore
} from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import type { Stored } from "../../../src/platform/database/DatabaseFailure.ts"

type Wanted = Partial<Pick<OrganizationQuota, "room" | "failingRoom"> & Pick<ClaimOptions, "inFlight" | "leaseMillis">>

export const claimDue = ({
  failingRoom = 64,
  leaseMillis = 60_000,
  room = 64,
  inFlight = new Map()
}: Wanted = {}): Stored<Claim, never, DeliveryQueueStore> =>
  Effect.gen(function* () {
    const queue = yield* DeliveryQueueStore
    const { organizations } = yield* queue.due(nilUuid)
    const quotas = organizations.map((org_id) => ({ org_id, after: nilUuid, room, failingRoom }))
    return yield* queue.claim({ quotas, inFlight, leaseMillis })
  })
