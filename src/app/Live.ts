/** Everything that the server and the CLI share, on a database. */
import { Layer } from "effect"
import { Ids } from "../domain/Ids.ts"
import { Settings } from "../platform/config/Settings.ts"
import { layerInTurn } from "../platform/fibers/LayerInTurn.ts"
import { ConnectedLive, ObservabilityLive, VaultLive } from "./Foundation.ts"
import { ProviderSettingsLive } from "./sandbox/Fakes.ts"
import { ServicesLive } from "./Services.ts"
import { StoresLive } from "./Stores.ts"

/** Everything, on a database that is reached in the given way. */
export const appOn = <E>(
  Connected: Layer.Layer<Layer.Layer.Success<typeof ConnectedLive>, E, Layer.Layer.Context<typeof ConnectedLive>>
) =>
  layerInTurn(
    ServicesLive.pipe(
      Layer.provideMerge(StoresLive),
      Layer.provideMerge(VaultLive),
      Layer.provideMerge(Connected),
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(ObservabilityLive),
      Layer.provideMerge(ProviderSettingsLive),
      Layer.provideMerge(Settings.layer)
    )
  )

export const AppLive = appOn(ConnectedLive)
