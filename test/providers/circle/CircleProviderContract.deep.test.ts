import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { circleFake } from "../../fakes/CircleFake.ts"
import { cryptoSamples } from "../support/CryptoOrders.ts"
import { providerContract } from "../support/providerContract.ts"
import { recipientAddress } from "./CircleTestOrders.ts"

providerContract(circle, circleFake, cryptoSamples("POLYGON", "ETHEREUM", recipientAddress))
