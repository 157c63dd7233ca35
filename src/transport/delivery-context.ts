import { BaseRpcContext } from '@nestjs/microservices';

/** What a consumer's `@Ctx()` is: where its batch came from. */
export class DeliveryContext extends BaseRpcContext<[topic: string, group: string]> {
  getTopic(): string {
    return this.args[0];
  }

  getGroup(): string {
    return this.args[1];
  }
}
