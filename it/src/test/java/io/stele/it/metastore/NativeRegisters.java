package io.stele.it.metastore;

import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.StepResult;
import io.stele.client.metastore.Transaction;
import io.stele.client.metastore.TransactionResult;
import io.stele.testkit.history.RegisterResult;
import java.util.Optional;

/** Keys by Stele's own client. */
record NativeRegisters(MetastoreClient client, ReadOptions reads) implements Registers {
  @Override
  public Optional<String> get(String key) {
    return client.get(key, reads).map(KeyValue::text);
  }

  @Override
  public void put(String key, String value) {
    client.put(key, value);
  }

  @Override
  public void delete(String key) {
    client.delete(key);
  }

  @Override
  public RegisterResult compareAndSet(
      String key, Optional<String> expected, Optional<String> replacement) {
    Transaction transaction = client.transaction();
    if (expected.isPresent()) {
      transaction.when(key).value().isEqualTo(expected.get());
    } else {
      transaction.when(key).isAbsent();
    }
    TransactionResult result =
        transaction
            .then(replacement.<Step>map(v -> Step.put(key, v)).orElseGet(() -> Step.delete(key)))
            .otherwise(Step.get(key))
            .commit();
    if (result.succeeded()) {
      return RegisterResult.DONE;
    }
    StepResult.Found found = (StepResult.Found) result.results().getFirst();
    return new RegisterResult.Found(found.keys().stream().findFirst().map(KeyValue::text));
  }
}
