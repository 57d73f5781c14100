/**
 * The OpenAPI document as it is sent. To make it takes half a second in which a server could answer nobody, so the build
 * makes it with a stand-in for the address, and a server puts its own in.
 */
import { stringify } from "lossless-json"
import { escapeText } from "../../domain/Html.ts"
import { openApiDocument, serversOf } from "./OpenApiDocument.ts"

const STAND_IN = "https://address.invalid"
const noServers = '"servers":[]'

/** Amounts in its examples are exact numbers, which only this way of writing keeps. */
export const openApiTemplate = (): string => stringify({ ...openApiDocument(STAND_IN, "sandbox"), servers: [] }) ?? ""

export const openApiText = (template: string, publicUrl: string, mode: "sandbox" | "live"): string =>
  template
    .replace(noServers, () => `"servers":${JSON.stringify(serversOf(publicUrl, mode))}`)
    .replaceAll(STAND_IN, () => JSON.stringify(publicUrl).slice(1, -1))

/** The reference page as rendered from the template, with the address of this server. */
export const referenceHtml = (page: string, publicUrl: string): string =>
  page.replaceAll(STAND_IN, () => escapeText(publicUrl))
