// What is known about TRON's networks without a node.

/** USDT's contracts and where a browser shows transactions: main net, Shasta, and the two contracts in use on Nile. */
export const explorers: Readonly<Record<string, string>> = {
  TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t: 'https://tronscan.org/#/transaction/',
  TG3XXyExBkPp9nzdajDZsozEu4BkaSJozs: 'https://shasta.tronscan.org/#/transaction/',
  TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf: 'https://nile.tronscan.org/#/transaction/',
  TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj: 'https://nile.tronscan.org/#/transaction/',
}
