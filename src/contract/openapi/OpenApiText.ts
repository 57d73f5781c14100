import { stringify } from "lossless-json"
import { escapeText } from "../../domain/Html.ts"
import { openApiDocument, serversOf } from "./OpenApiDocument.ts"

const STAND_IN = "https://address.invalid"
const noServers = '"servers":[]'

/**
 * Built once, because it takes half a second: the build uses a placeholder address, which the server replaces. Written
 * with lossless-json, which keeps exact amounts in examples.
 */
export const openApiTemplate = (): string => stringify({ ...openApiDocument(STAND_IN, "sandbox"), servers: [] }) ?? ""

export const openApiText = (template: string, publicUrl: string, mode: "sandbox" | "live"): string =>
  template
    .replace(noServers, () => `"servers":${JSON.stringify(serversOf(publicUrl, mode))}`)
    .replaceAll(STAND_IN, () => JSON.stringify(publicUrl).slice(1, -1))

/** The reference page as rendered from the template, with the address of this server. */
export const referenceHtml = (page: string, publicUrl: string): string =>
  page.replaceAll(STAND_IN, () => escapeText(publicUrl))
