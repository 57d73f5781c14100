/** Orders for Circle, and an account at its fake on the clock of the tests. */
import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { circleFake } from "../../fakes/CircleFake.ts"
import { againstFake, byTestClock } from "../support/AgainstFake.ts"
import { cryptoOrders } from "../support/CryptoOrders.ts"

export const recipientAddress = "0x8381470ED67C3802402dbbFa0058E8871F017A6F"

export const { payin, payout } = cryptoOrders("ETHEREUM", recipientAddress)

export const joined = againstFake(circle, circleFake, { paces: byTestClock })
