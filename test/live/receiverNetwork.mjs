/**
 * Loaded into the server of the live demo before its first line: the public address of the demo's webhook receiver leads
 * to this machine. Live mode delivers to public addresses only, and the server itself stays as it is.
 */
import { Socket } from "node:net"

const [address, port] = process.env["DEMO_RECEIVER"].split(" ")
const { connect } = Socket.prototype

Socket.prototype.connect = function (...args) {
  const [options, ...others] = args
  const isReceiver = (options?.host ?? options?.hostname) === address
  return isReceiver
    ? connect.call(this, { ...options, host: "127.0.0.1", port: Number(port), lookup: undefined }, ...others)
    : connect.apply(this, args)
}
