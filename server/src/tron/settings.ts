// The node that the chain is read with.
export interface TronSettings {
  readonly apiUrl: string
  readonly apiKey: string | undefined
  readonly usdtContract: string
}
