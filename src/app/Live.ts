/** Everything that the server and the CLI share, on a database. */
import { Layer } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import { layerInTurn } from "../platform/fibers/LayerInTurn.ts"
import { ConnectedLive, foundedOn, type Reached } from "./Foundation.ts"
import { ProviderSettingsLive } from "./sandbox/Fakes.ts"
import { ServicesLive } from "./Services.ts"
import { StoresLive } from "./Stores.ts"

/** Everything, on a database that is reached in the given way. */
export const appOn = <E>(Connected: Reached<E>) =>
  layerInTurn(
    ServicesLive.pipe(
      Layer.provideMerge(StoresLive),
      Layer.provideMerge(foundedOn(Connected)),
      Layer.provideMerge(ProviderSettingsLive),
      Layer.provideMerge(Settings.layer)
    )
  )

export const AppLive = appOn(ConnectedLive)
